"""Column lists of public schemas and everyday exports, with the roles disclosure control would give them, and made-up values.

The roles were written down from general knowledge of the schemas before anything was run on them (schemas/*.txt). A truth is REQUIRED or
REQUIRED/ACCEPTED: D direct identifier, Q quasi-identifier, S sensitive, P person id, H household, W weight, N none.
One line a column: name, truth, and what its values are drawn from (see `_drawn`).
"""

import random
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from uuid import UUID

from stdnum import luhn

FOLDER = Path(__file__).parent / "schemas"


def read_tables(file: str) -> dict[str, str]:
    """Return the column lists of one file by the name of the table."""
    parts = (FOLDER / f"{file}.txt").read_text(encoding="utf-8").split("\n## ")[1:]
    return {name: columns for name, _, columns in (part.partition("\n") for part in parts)}


TABLES = {
    name: columns
    for file in ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
    for name, columns in read_tables(file).items()
}
# Written down later, from tables as they are published; their goals are held over all of them together.
PUBLISHED = {name: columns for file in ("ninth", "tenth", "eleventh", "twelfth") for name, columns in read_tables(file).items()}
_LAST = {
    "es": (
        "García Rodríguez González Fernández López Martínez Sánchez Pérez Gómez Díaz Vázquez Romero Navarro Torres Ramírez Gil "
        "Serrano Molina Castillo Ortega Quispe Huamán Mamani"
    ),
    "pt": (
        "Silva Santos Oliveira Souza Pereira Lima Carvalho Ferreira Ribeiro Almeida Costa Gomes Martins Araújo Barbosa Cardoso "
        "Teixeira Moreira Correia Mendes Cavalcanti"
    ),
    "fr": (
        "Martin Bernard Dubois Petit Durand Leroy Moreau Laurent Lefebvre Roux Fournier Girard Bonnet Mercier Garnier Faure "
        "Chevalier Gauthier Perrin Boucher Lecomte"
    ),
    "de": (
        "Müller Schmidt Weber Wagner Becker Hoffmann Schulz Koch Richter Klein Wolf Schröder Neumann Schwarz Zimmermann Krüger "
        "Hofmann Hartmann Lange Werner Krause Lehmann"
    ),
    "nl": (
        "Jansen de-Vries Bakker Visser Smit Meijer Mulder de-Boer Bos Vos Peters Hendriks Dekker Brouwer Dijkstra Kuiper Postma "
        "Huisman Verhoeven Timmermans Hoekstra"
    ),
    "it": (
        "Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Bruno Gallo Conti Mancini Costa Giordano Rizzo "
        "Lombardi Moretti Barbieri Fontana"
    ),
    "pl": (
        "Nowak Kowalski Wiśniewski Wójcik Kowalczyk Kamiński Lewandowski Zieliński Szymański Woźniak Dąbrowski Kozłowski Mazur "
        "Kwiatkowski Krawczyk Piotrowski Grabowski Pawłowski Zając Król"
    ),
    "sv": (
        "Andersson Johansson Karlsson Nilsson Eriksson Larsson Olsson Persson Svensson Gustafsson Lindberg Lindström Bergström "
        "Sandberg Forsberg Sjöberg Wallin Engström Danielsson Håkansson"
    ),
    "en": (
        "Smith Johnson Williams Brown Jones Miller Davis Wilson Anderson Taylor Thomas Moore Jackson Thompson Harris Clark "
        "Lewis Robinson Walker Hall Allen Wright Scott"
    ),
}
_FIRST = {
    "es": (
        "Lucía Hugo Martina Mateo Sofía Martín Julia Lucas Valeria Leo Emma Daniel Carla Alejandro Noa Manuel Alba Pablo Jimena "
        "Álvaro Ximena Yolanda"
    ),
    "pt": (
        "João Maria Pedro Ana Gabriel Beatriz Rafael Larissa Thiago Camila Felipe Juliana Mateus Letícia Bruno Fernanda Rodrigo "
        "Aline Vinícius Patrícia Luana"
    ),
    "fr": ("Gabriel Louise Raphaël Jade Léo Ambre Louis Alba Lucas Emma Adam Rose Arthur Alice Jules Romane Hugo Anna Maël Lina Thibault"),
    "de": ("Lukas Lena Finn Mia Jonas Hannah Leon Emilia Paul Sophie Felix Marie Noah Lina Elias Clara Ben Johanna Moritz Greta Jannik"),
    "nl": ("Daan Emma Sem Julia Lucas Mila Levi Tess Finn Sophie Noah Zoë Luuk Sara Bram Nora Milan Yara Thijs Eva Sjoerd"),
    "it": (
        "Leonardo Sofia Francesco Giulia Alessandro Aurora Lorenzo Ginevra Mattia Alice Andrea Beatrice Gabriele Emma Riccardo "
        "Giorgia Tommaso Chiara Davide Elisa"
    ),
    "pl": (
        "Antoni Zuzanna Jakub Julia Jan Maja Szymon Zofia Aleksander Hanna Franciszek Lena Filip Alicja Mikołaj Oliwia Wojciech "
        "Wiktoria Krzysztof Małgorzata"
    ),
    "sv": ("Lucas Alice Liam Maja William Vera Elias Alma Noah Selma Hugo Elsa Oliver Lilly Oscar Astrid Adam Wilma Axel Freja"),
    "en": (
        "Liam Olivia Noah Emma Oliver Ava Elijah Charlotte William Sophia James Amelia Benjamin Isabella Lucas Mia Henry Evelyn "
        "Alexander Harper Theodore"
    ),
}
_CITY = {
    "es": ("Getafe Móstoles Zapopan Mérida Badajoz Tepic Rosario Neuquén Cuenca Lugo Huesca Ronda Écija Tarifa Elche"),
    "pt": ("Campinas Santos Niterói Braga Coimbra Évora Faro Recife Natal Olinda Londrina Maringá Cuiabá Sobral"),
    "fr": ("Grenoble Roubaix Vannes Niort Cholet Auxerre Tarbes Albi Agen Laval Quimper Dole Beaune Sète"),
    "de": ("Ulm Bonn Trier Fulda Gera Jena Emden Celle Hameln Soest Passau Aalen Kleve Zittau"),
    "nl": ("Delft Gouda Zwolle Hoorn Venlo Meppel Assen Ede Tiel Goes Heerlen Almelo Zeist Weert"),
    "it": ("Pavia Cremona Siena Lucca Rieti Enna Asti Biella Udine Belluno Matera Nuoro Imola Prato"),
    "pl": ("Radom Kielce Elbląg Tarnów Opole Płock Legnica Słupsk Konin Suwałki Piła Ostrołęka Zamość Leszno"),
    "sv": ("Borås Kalmar Umeå Luleå Falun Visby Motala Kiruna Skövde Borlänge Karlstad Gävle Lund Ystad"),
    "en": ("Salem Dover Austin Boise Fargo Tulsa Provo Akron Macon Ocala Reno Flint Utica Waco"),
}


def table(name: str, rows: int = 300) -> tuple[dict[str, list[object]], dict[str, str]]:
    """Return the values and the truth of one table; the same on every run."""
    language = name.split()[-1]
    drawn = random.Random(name)
    columns: dict[str, list[object]] = {}
    truth: dict[str, str] = {}
    for line in (TABLES | PUBLISHED)[name].strip().splitlines():
        column, code, source = line.split(" ", 2)
        truth[column] = code
        columns[column] = _drawn(source, language, drawn, rows)
    return columns, truth


def _with_check_digits(stem: str) -> str:
    """Return a Brazilian taxpayer's number with its two check digits."""
    for length in (9, 10):
        rest = sum(int(digit) * weight for digit, weight in zip(stem, range(length + 1, 1, -1), strict=True)) * 10 % 11
        stem += str(rest % 10)
    return stem


def _drawn(source: str, language: str, drawn: random.Random, rows: int) -> list[object]:
    persons = [drawn.randrange(10**5, 10**7) for _ in range(max(2, rows // 4))]
    last, first = ([word.replace("-", " ") for word in names[language].split()] for names in (_LAST, _FIRST))
    makers: dict[str, Callable[[int], object]] = {
        "code": lambda row: f"{drawn.choice('ABCDEFG')}{100000 + row * 7 + drawn.randrange(7)}",
        "code9": lambda row: f"{drawn.randrange(40) + 750000000}",
        "pid": lambda row: persons[row // 4 % len(persons)],
        "manyid": lambda row: 200000 + row // 2 * 3,
        "uuid": lambda row: str(UUID(int=drawn.getrandbits(128), version=4)),
        "date": lambda row: str(date(1940, 1, 1) + timedelta(days=drawn.randrange(29_000))),
        # Shifted beyond this century, as intensive-care data are.
        "datetime": lambda row: str(datetime(2100, 1, 1) + timedelta(minutes=drawn.randrange(50_000_000))),
        "time": lambda row: f"{drawn.randrange(24):02}:{drawn.randrange(60):02}:00",
        "year": lambda row: drawn.randrange(1935, 2004),
        "age": lambda row: drawn.randrange(18, 92),
        "zip": lambda row: f"{drawn.randrange(10000, 99000)}",
        "nlzip": lambda row: f"{drawn.randrange(1000, 9999)} {drawn.choice('ABCDEX')}{drawn.choice('ABCDEX')}",
        "first": lambda row: drawn.choice(first),
        "last": lambda row: drawn.choice(last),
        "full": lambda row: f"{drawn.choice(first)} {drawn.choice(last)}",
        "city": lambda row: drawn.choice(_CITY[language].split()),
        "phone": lambda row: f"+34 6{drawn.randrange(10, 99)} {drawn.randrange(100, 999)} {drawn.randrange(100, 999)}",
        "email": lambda row: f"{drawn.choice(first)}.{row}@example.org",
        "street": lambda row: f"{drawn.choice(last)}straße {drawn.randrange(1, 180)}",
        "card": lambda row: luhn.calc_check_digit(stem := f"4{drawn.randrange(10**14):014}") and f"{stem}{luhn.calc_check_digit(stem)}",
        "cpf": lambda row: _with_check_digits(f"{drawn.randrange(10**9):09}"),
        "icd": lambda row: f"{drawn.choice('ACEFGIJKMNRS')}{drawn.randrange(10, 99)}.{drawn.randrange(9)}",
    }
    kind, _, rest = source.partition(":")
    if kind == "const":
        return [rest] * rows
    if kind in ("int", "float") and rest:
        low, high = rest.split(":")
        if kind == "int":
            return [drawn.randint(int(low), int(high)) for _ in range(rows)]
        return [round(drawn.uniform(float(low), float(high)), 2) for _ in range(rows)]
    if source in makers:
        return [makers[source](row) for row in range(rows)]
    answers = source.split("|")
    return [drawn.choice(answers) for _ in range(rows)]
