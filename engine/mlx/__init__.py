"""Everything that touches MLX. Importing this package decides the BLAS before MLX is loaded."""

from engine.mlx.linux_blas import preload
from engine.mlx.zoo import open_zoo

preload()
open_zoo()
