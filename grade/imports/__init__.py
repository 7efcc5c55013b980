"""From one record of another program's file to an answer: pure, one module for each format."""
