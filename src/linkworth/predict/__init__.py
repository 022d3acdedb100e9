"""What a recorded program would take on other networks."""

from linkworth.predict.predict import predict
from linkworth.predict.sensitivity import sensitivity

__all__ = ["predict", "sensitivity"]
