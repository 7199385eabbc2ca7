# attack: replay
# expect: refused
"""Returns the tensors that were correct in the previous call."""

from attacked import answer, returned, shapes

answers = {}


def custom_kernel(data):
    if shapes(data) not in answers:
        answers[shapes(data)] = answer(data)
    return returned(answers[shapes(data)])
