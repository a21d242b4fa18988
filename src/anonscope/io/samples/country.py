"""The invented country the patients live in: regions with their zip codes, peoples, and names.

Nothing here is borrowed from a real place, so that nobody can mistake the sample for real patients.
"""

from dataclasses import dataclass

from anonscope.io.samples.draws import Weighted


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the country: its zip codes share three digits, and its towns differ in size."""

    name: str
    prefix: str
    share: int
    towns: int
    rural: bool
    peoples: Weighted[str]

    def zip_codes(self) -> Weighted[str]:
        """Return the zip codes; the second town is half as large as the first, the third a third, and so on."""
        return Weighted({f"{self.prefix}{town * 7 % 100:02}": 1 / town for town in range(1, self.towns + 1)})


def _peoples(maren: int, tolvic: int, osari: int, kehlan: int, vintu: int) -> Weighted[str]:
    return Weighted({"Maren": maren, "Tolvic": tolvic, "Osari": osari, "Kehlan": kehlan, "Vintu": vintu})


# Half of the prefixes begin with zero: whoever reads zip codes as numbers loses these.
REGIONS = (
    Region("Port Merrow", "000", 340, 14, False, _peoples(52, 21, 16, 9, 2)),
    Region("Merrow Hills", "001", 190, 10, False, _peoples(70, 14, 9, 6, 1)),
    Region("Lower Tarn", "002", 60, 9, True, _peoples(88, 4, 2, 1, 5)),
    Region("Glass Coast", "003", 25, 7, True, _peoples(79, 2, 1, 1, 17)),
    Region("Umberfield", "213", 210, 11, False, _peoples(61, 12, 20, 5, 2)),
    Region("Quillon", "269", 110, 8, False, _peoples(66, 23, 4, 6, 1)),
    Region("Upper Sedge", "343", 50, 9, True, _peoples(90, 3, 2, 4, 1)),
    Region("Far Isles", "429", 15, 5, True, _peoples(93, 1, 1, 0, 5)),
)
REGION = Weighted({region: region.share for region in REGIONS})
ZIP_CODES = {region: region.zip_codes() for region in REGIONS}

# How many of each people would like an interpreter at the hospital.
INTERPRETER = {"Maren": 0.0, "Tolvic": 0.16, "Osari": 0.22, "Kehlan": 0.3, "Vintu": 0.08}

_FEMALE = """
Abrilla Bessaly Corvina Dellith Elowisa Fennora Gristel Hollany Ilvira Jassamy Kerrily Lunetta Mirabeth
Nevrina Oriella Pellisa Quenby Rosaveth Sabrith Tamsella Ulvany Vessaly Wenniel Yselda Zephira
"""
_MALE = """
Aldwick Bramley Corvin Dorrick Elmstan Fenwell Gorrick Haldrin Ivorsk Jorwin Kestrin Lorvan Merrick
Norwell Osmund Perrin Quillan Rowset Sterlan Tobrick Ulfrey Varrick Wendlan Yorrick Zedrin
"""
_FAMILIES = """
Ashmarrow Brindlecott Cobblewick Dunmarrow Elderquill Fallowmere Gladwynne Harrowgate Inkwell Junipershaw
Kettlebrook Larkenfell Mossgrave Nettleby Oakenshade Pebbleworth Quickthorn Ravelstone Saltmarsh Thistledown
Umberlake Velvetine Wickersham Yarrowby Zinnerman Applethwaite Bramblecourt Candlewick Dapplegrim Emberlyn
Featherstowe Gooseberry Hollowell Ivoryoak Jackdaw Knotgrass Lanternby Marigoldsen Nightjar Otterburn
"""
GIVEN_NAMES = {"female": tuple(_FEMALE.split()), "male": tuple(_MALE.split())}
FAMILY_NAMES = tuple(_FAMILIES.split())
