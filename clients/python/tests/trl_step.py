"""One training step of TRL's `GRPOTrainer` with a tiny random model, whose every token but two is a whole code block."""

from __future__ import annotations

import tempfile
from typing import Any

from datasets import Dataset
from tokenizers import Tokenizer, decoders, models
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed
from trl import GRPOConfig, GRPOTrainer

WORDS = ["<pad>", "<eos>", *(f"```\n{code}\n```\n" for code in ("x", "y", "wrong", "broken"))]


def train(reward: Any) -> tuple[int, float]:
    """Returns the number of steps, and the mean reward that TRL logged for the function."""
    set_seed(0)
    words = Tokenizer(models.WordLevel({word: index for index, word in enumerate(WORDS)}, unk_token="<pad>"))
    words.decoder = decoders.Fuse()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>")
    size: dict[str, Any] = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(WORDS), pad_token_id=0, eos_token_id=1, **size))
    row = {"prompt": WORDS[2], "problem": "double", "target": "cpu"}
    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(
            folder,
            max_steps=1,
            num_generations=8,
            per_device_train_batch_size=8,
            max_completion_length=3,
            logging_steps=1,
            report_to=[],
            save_strategy="no",
            use_cpu=True,
            bf16=False,
            disable_tqdm=True,
        )
        trainer = GRPOTrainer(model, [reward], config, Dataset.from_list([row] * 8), processing_class=tokenizer)
        trainer.train()
        logged = next(each for each in trainer.state.log_history if "rewards/kernelbot/mean" in each)
        return trainer.state.global_step, logged["rewards/kernelbot/mean"]
