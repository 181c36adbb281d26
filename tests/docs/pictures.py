"""The pictures in the documentation, drawn from layouts and their evidence."""

from pathlib import Path

import dealmill

FOLDER = Path(__file__).parent.parent.parent / "docs" / "pictures"
TANTRIX = "0,0:BYYGBG -1,1:GRGBBR 1,0:YRBRYB 2,0:YGGRRY / RBBRYY GBGYBY YBBRYR YBYBRR RBBRGG"
BOX = "R / BBRYRY BBRYYR BBYRYR BBYYRR BRBRYY BRBYRY BRBYYR BRRBYY BRYBYR BRYRBY"
ODD = "R / BBGRGR BBRRGG BGBGRR BGBRRG BGRGBR BRBRGG BRBYRY BYBYRR GGYRRY GGYRYR"
KLONDIKE = (
    "klondike-deal-1 9D/3h7D/5d5s7H/7cAcTh4D/Ks4h6h2sQS/TsAdQdQhJsKD/6c5h8s6d9h8d3S "
    "stock:4S9SJC8HKCKH2D2C7S3D9CJDAH6STD4CTC5C2HAS8C3CJHQC"
)
STEPS = {
    "klondike-loss": ("klondike-deal-1", KLONDIKE, 1),
    "card-pairing-win": ("card-pairing", "98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ 86AQ 8TQQ", 1),
    "card-pairing-loss": ("card-pairing", "KK6A QKT8 9TA9 A7QT QJ7Q 6J66 78JJ T8K9 879A", 1),
    "card-pairing-circle": ("card-pairing", "A344 4A2A 2342 332A", 5),
    "card-pairing-jam": ("card-pairing", "7AK9Q J97JT 89T7T 897AT KA8K JJQ8 KAQQ", 1),
    "camelot-win": ("camelot", "JJJJQQQQKKKKA9A9A9A928282828373737374646464655550000", 2),
    "camelot-loss": ("camelot", "QKK2QJ88965KA92Q33JAKAQ705653789223J7J466544A7004089", 1),
    "hi-q": ("hi-q", "OOO/OOO/OOOXOXO/OOOXOXO/OOOOXOO/OOO/OOO", 2),
    "hi-q-class": ("hi-q/fewest", "OOO/OOO/OOOXOXO/OOOXOXO/OOOOXOO/OOO/OOO", 4),
    "tantrix": ("tantrix", TANTRIX, 1),
    "tantrix-loop": ("tantrix-loop", BOX, 10),
    "tantrix-loop-loss": ("tantrix-loop", ODD, 1),
    "memory": ("memory", "AYBACBDCEDFEGFHGIHJIKJLKMLNMONPOQPRQSRTSUTVUWVXWYX", 40),
}
"""The game or engine, the layout and the step of each picture."""


def pictures() -> dict[Path, str]:
    """Return the content of all files; `make docs` writes them."""
    return {
        FOLDER / f"{name}.svg": dealmill.solve(game, layout).svg(step) + "\n"
        for name, (game, layout, step) in STEPS.items()
    }
