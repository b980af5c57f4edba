"""Every error the engine raises or puts into a Finished event.

EngineError                 one sentence for the user, and one next action
├── ModelError              a model cannot be used
│   ├── ModelMissing        a file or folder is not there
│   ├── ModelDamaged        a file is cut, has a wrong checksum or holds nonsense
│   ├── ModelUnsupported    an architecture, tensor type or tokenizer this version does not know
│   ├── TokenizerMismatch   the tokenizer knows ids the weights have no row for
│   ├── NoChatTemplate      a base model was given chat messages
│   ├── TemplateBroken      a chat template is no template, fails, or wants more than it may use
│   └── LoadCancelled       the load was given up before it ended
├── RequestError            one request cannot be served as it was asked
│   ├── BadRequest          a setting is out of its range, or there is nothing to read
│   ├── PromptTooLong       the prompt leaves no room in the context
│   └── TokenOutOfRange     a prompt token is not one of the model's
├── ReplyError              one reply cannot go on
│   ├── InvalidNumbers      the model produced NaN, infinity or a flat row
│   └── ProcessorFailed     a logits processor raised, or gave something that is no logits
└── LaneError               the lane itself
    ├── LaneClosed          it is closed, or closing
    └── LaneFailed          a round raised: a fault of ours or of the machine
"""

__all__ = [
    "BadRequest",
    "EngineError",
    "InvalidNumbers",
    "LaneClosed",
    "LaneError",
    "LaneFailed",
    "LoadCancelled",
    "ModelDamaged",
    "ModelError",
    "ModelMissing",
    "ModelUnsupported",
    "NoChatTemplate",
    "ProcessorFailed",
    "PromptTooLong",
    "ReplyError",
    "RequestError",
    "TemplateBroken",
    "TokenOutOfRange",
    "TokenizerMismatch",
]


class EngineError(Exception):
    """An error with one sentence for the user and the next thing to do.

    Attributes:
        sentence: what happened, one sentence, names and numbers included.
        action: what the user can do next, one sentence.
    """

    action = "Try again."

    def __init__(self, sentence: str, action: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        if action is not None:
            self.action = action

    def __str__(self) -> str:
        return f"{self.sentence} {self.action}"


class ModelError(EngineError):
    action = "Choose another model."


class ModelMissing(ModelError):
    action = "Check the path, or choose another model."


class ModelDamaged(ModelError):
    action = "Get the file again, or choose another model."


class ModelUnsupported(ModelError):
    pass


class TokenizerMismatch(ModelError):
    action = "Get the model again with its own tokenizer, or choose another model."


class NoChatTemplate(ModelError):
    action = "Choose an instruction-tuned model."


class TemplateBroken(ModelError):
    """A chat template cannot be used. Attributes: `line`, of the template, from 1; None if unknown."""

    action = "Choose another template for it, or another model."

    def __init__(self, name: str, fault: str, line: int | None) -> None:
        """`name` is what the user calls the model; `fault`, a clause without a full stop."""
        place = "" if line is None else f"line {line}: "
        super().__init__(f"The chat template of {name} is broken ({place}{fault}).")
        self.line = line


class LoadCancelled(ModelError):
    action = "Open the model again to load it."


class RequestError(EngineError):
    pass


class BadRequest(RequestError):
    action = "Change the request and send it again."


class PromptTooLong(RequestError):
    """The prompt does not fit. Attributes: `tokens` and `limit`, both in tokens."""

    action = "Shorten the text, start a new conversation, or choose a model with a longer context."

    def __init__(self, tokens: int, limit: int) -> None:
        super().__init__(
            f"The conversation is {tokens:,} tokens long; this model takes {limit:,} including its reply."
        )
        self.tokens = tokens
        self.limit = limit


class TokenOutOfRange(RequestError):
    action = "Send the text again, or get the model again with its own tokenizer."

    def __init__(self, token: int, rows: int) -> None:
        super().__init__(f"Token {token} is outside this model's vocabulary of {rows:,}.")
        self.token = token
        self.rows = rows


class ReplyError(EngineError):
    pass


class InvalidNumbers(ReplyError):
    action = "Get the model again, or choose another model."

    def __init__(self) -> None:
        super().__init__("The model produced invalid numbers (damaged or unsupported file).")


class ProcessorFailed(ReplyError):
    action = "Correct the processor, or send the message without it."

    def __init__(self, cause: Exception) -> None:
        super().__init__(f"A logits processor failed ({type(cause).__name__}: {cause}).")


class LaneError(EngineError):
    pass


class LaneClosed(LaneError):
    action = "Open the model again."

    def __init__(self) -> None:
        super().__init__("The model is closed.")


class LaneFailed(LaneError):
    action = "Send the message again; what was read is read anew."

    def __init__(self, cause: BaseException) -> None:
        super().__init__(f"The engine stopped this reply after a fault ({type(cause).__name__}: {cause}).")
