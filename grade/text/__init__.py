"""Reading text: cleaning, sentences, tokens, quantities, entities and content words, vectorised."""
