"""A reply's thinking, told apart from its answer: the marks models use, and the splitter that finds them."""
