"""Predicted times of a recorded program on other networks."""

from linkworth.predict.predict import predict
from linkworth.predict.sensitivity import sensitivity

__all__ = ["predict", "sensitivity"]
