"""Write the files of docs/data: tickets to a shop, made up, the same each time.

tickets.csv     480 tickets of four classes, with the day and the customer
september.csv   those of September, october.csv those of October, when an update of the app went wrong
raw.csv         tickets as they come: copies, a label written in two ways, a reference that gives a class away
people.csv      160 answers to tickets as people might write them
llm.csv         160 answers in the style of a language model
"""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random

DATA = Path(__file__).parent.parent / "data"
HEAD = ("id", "day", "customer", "text", "label")
ITEMS = (
    "lamp",
    "kettle",
    "backpack",
    "headphones",
    "blender",
    "jacket",
    "keyboard",
    "tent",
    "scarf",
    "toaster",
)
NAMES = (
    "Ada", "Bao", "Chidi", "Dana", "Elif", "Farid", "Grace", "Hana", "Ivan", "Jun", "Kofi", "Lena",
    "Mira", "Noor", "Omar", "Priya", "Quinn", "Rosa", "Sven", "Tala", "Uma", "Vera", "Wen", "Yara",
)  # fmt: skip
OWN = {
    "billing": (
        "I was charged twice for the {item}.",
        "My invoice shows a fee that nobody explained.",
        "The amount on my credit card is wrong.",
        "Why is the tax on this invoice so high?",
        "The discount code was not taken off the total.",
        "Please send the invoice with our company address and tax number.",
        "The payment was declined, but the bank says the money left my account.",
        "My subscription was renewed and charged though I cancelled it.",
    ),
    "delivery": (
        "The parcel with the {item} has not arrived.",
        "Tracking says delivered, but there is nothing at my door.",
        "The courier left the parcel with a neighbour I do not know.",
        "The shipment has been stuck at the depot for six days.",
        "Can the driver come after five on the delivery day?",
        "The box arrived open and wet from the rain.",
        "I moved last week, please ship the {item} to the new address.",
        "The tracking number does not work on the courier's page.",
    ),
    "login": (
        "I cannot log in since this morning.",
        "The password reset mail never comes.",
        "My account is locked after three attempts.",
        "The code for two-factor login is always expired.",
        "The page says that my username does not exist.",
        "I reset the password, and it still says wrong password.",
        "I lost my phone, so I cannot get the login code.",
        "Please unlock my account and sign me out everywhere.",
    ),
    "returns": (
        "I want to return the {item}, it is too small.",
        "The {item} broke after two days, please replace it.",
        "How do I print the return label?",
        "I sent the {item} back two weeks ago and have no refund.",
        "The colour is not the one in the picture, I would like to exchange it.",
        "Is the {item} still under warranty?",
        "You refunded the {item} but not the return postage.",
        "A part is missing in the box, so I am sending it back.",
    ),
}
ANYBODY = (
    "Please help.", "I have been a customer for years.", "My order is from last week.", "Thank you for your time.",
    "I wrote about this before and got no answer.", "It is urgent.", "Can somebody call me back?",
    "I bought the {item} as a present.", "This is not what I expect from you.", "Otherwise I like the shop.",
)  # fmt: skip
UPDATE = (
    "Since the update the app crashes when I open it.",
    "The new version of the app freezes on the start screen.",
    "After the update the app shows a blank page.",
)
PARTING = ("Thanks", "Regards", "Cheers", "Best wishes", "Yours", "Many thanks")


def ticket(rng: Random, number: int, month: int) -> tuple[str, ...]:
    """One ticket: what it is about, some of what anybody says, now and then what another class says."""
    label = rng.choices(tuple(OWN), weights=(30, 35, 20, 15))[0]
    customer = rng.choice(NAMES)
    said = [rng.choice(OWN[label]) for _ in range(rng.choice((1, 1, 2)))]
    said += [rng.choice(ANYBODY) for _ in range(rng.choice((0, 1, 2)))]
    if rng.random() < 0.15:
        said.append(rng.choice(OWN[rng.choice(tuple(OWN))]))
    if month == 10 and rng.random() < (0.45 if label == "login" else 0.1):
        said.append(rng.choice(UPDATE))
    text = " ".join(dict.fromkeys(said)).format(item=rng.choice(ITEMS))
    day = f"2026-{month:02}-{rng.randint(1, 30):02}"
    return str(number), day, customer, f"{text} {PARTING[NAMES.index(customer) % 6]}, {customer}", label


def tickets() -> list[tuple[str, ...]]:
    """All tickets, September before October."""
    rng = Random(20261001)
    return [ticket(rng, 1001 + i, 9 if i < 240 else 10) for i in range(480)]


def raw_tickets() -> list[tuple[str, ...]]:
    """160 tickets as they come: with a reference for one class, copies, and a label in two writings."""
    rng = Random(20261101)
    rows = [ticket(rng, 5001 + i, 10) for i in range(160)]
    referred = [
        (*row[:3], f"{row[3]} Ref INV-{row[0]}" if row[4] == "billing" else row[3], row[4]) for row in rows
    ]
    renamed = [
        (*row[:4], "Delivery" if row[4] == "delivery" and i % 9 == 0 else row[4])
        for i, row in enumerate(referred)
    ]
    copies = [
        (str(6001 + i), *row[1:4], "returns" if i == 0 else row[4]) for i, row in enumerate(renamed[:6])
    ]
    return renamed + copies


# answers: an opening, facts on a class, a closing
FACTS = {
    "billing": ("you were charged twice", "the refund takes three days", "the invoice has the new address"),
    "delivery": ("the parcel is at the depot", "the courier comes on Monday", "the tracking number is wrong"),
    "login": ("the update broke the login", "a new password works", "the code arrives by mail"),
    "returns": ("you can send it back for free", "the label is in the box", "the warranty covers the {item}"),
}
PEOPLE = (
    ("hi,", "sorry about that,", "ok so", "hey, thanks for writing,", "right,", "sorry for the wait,"),
    ("just", "we checked and", "looks like", "turns out", "i think", "yeah,"),
    (
        "cheers",
        "let me know if not",
        "hope that's ok",
        "call us if it still doesn't work",
        "thanks",
        "sorry again",
    ),
)
MODEL = (
    (
        "Thank you for reaching out.",
        "I completely understand your frustration.",
        "I apologize for any inconvenience this may have caused.",
        "Certainly!",
    ),
    (
        "It is important to note that",
        "I want to assure you that",
        "After carefully reviewing your request, it appears that",
        "To ensure a seamless experience, please note that",
    ),
    (
        "Please don't hesitate to reach out if you have any further questions.",
        "I hope this helps!",
        "Rest assured that we are committed to resolving this.",
        "Is there anything else I can assist you with?",
    ),
)


def answers(seed: int, style: tuple[tuple[str, ...], ...]) -> list[tuple[str, ...]]:
    """160 answers in a style."""
    rng, rows = Random(seed), []
    for i in range(160):
        label = rng.choice(list(FACTS))
        opening, link, closing = (rng.choice(phrases) for phrases in style)
        first, second = rng.sample(FACTS[label], 2)
        text = f"{opening} {link} {first}, and {second}. {closing}".format(item=rng.choice(ITEMS))
        rows.append((str(7001 + i), "2026-10-31", rng.choice(NAMES), text, label))
    return rows


def files() -> dict[str, list[tuple[str, ...]]]:
    """Return the rows of each file."""
    every = tickets()
    months = {
        name: [row for row in every if row[1].startswith(f"2026-{month}")]
        for name, month in (("september", "09"), ("october", "10"))
    }
    return {
        "tickets": every,
        **months,
        "raw": raw_tickets(),
        "people": answers(1, PEOPLE),
        "llm": answers(2, MODEL),
    }


def write(folder: Path) -> None:
    """Write all files to a folder."""
    folder.mkdir(exist_ok=True)
    for name, rows in files().items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([HEAD, *rows])


if __name__ == "__main__":
    write(DATA)
