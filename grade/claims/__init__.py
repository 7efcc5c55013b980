"""C3: does the answer make each gold insight, required limitation and forbidden claim?"""
