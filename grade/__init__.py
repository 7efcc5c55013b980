"""Score language models' answers to analytics questions about education-program data.

The library is a set of pure stages over polars frames; `pipelines` composes them with files,
a clock and a command line. Start reading at `grade.schemas` for the tables that the stages
hand to each other, and at `pipelines.score` for their order.
"""
