"""Column lists of public schemas and everyday exports, with the roles disclosure control would give them, and made-up values.

The roles were written down from general knowledge of the schemas before anything was run on them. A truth is REQUIRED or
REQUIRED/ACCEPTED: D direct identifier, Q quasi-identifier, S sensitive, P person id, H household, W weight, N none.
One line a column: name, truth, and what its values are drawn from (see `_drawn`).
"""

import random
from collections.abc import Callable
from datetime import date, datetime, timedelta
from uuid import UUID

TABLES = {
    "covid mx es": """
ID_REGISTRO D/P code
FECHA_ACTUALIZACION N/Q const:2021-03-01
ORIGEN N 1|2
SECTOR N/Q int:1:13
ENTIDAD_UM Q int:1:32
SEXO Q 1|2
ENTIDAD_RES Q int:1:32
MUNICIPIO_RES Q int:1:120
TIPO_PACIENTE S/NQ 1|2
FECHA_INGRESO Q date
FECHA_SINTOMAS Q/S date
FECHA_DEF Q/S date
INTUBADO S 1|2|97
NEUMONIA S 1|2
EDAD Q age
NACIONALIDAD Q 1|2
EMBARAZO S 1|2|97
HABLA_LENGUA_INDIG Q/S 1|2
DIABETES S 1|2|98
ASMA S 1|2|98
HIPERTENSION S 1|2|98
OBESIDAD S 1|2|98
TABAQUISMO S 1|2|98
RESULTADO_LAB S 1|2|3|4
PAIS_ORIGEN Q 97|98""",
    "nomina es": """
legajo D/P code
dni D/P code
apellido_y_nombre D full
fecha_ingreso Q date
fecha_nacimiento Q date
estado_civil Q soltero|casado|divorciado|viudo
cargo Q Analista|Gerente|Operario|Administrativo|Chofer
sector Q/N Ventas|Compras|Planta|RRHH
sueldo_bruto S int:30000:200000
cant_hijos Q 0|1|2|3|4
nivel_estudios Q Primario|Secundario|Terciario|Universitario
cuenta_bancaria D/P code
sindicato S SI|NO
licencias_medicas S/N int:0:30""",
    "sinan pt": """
NU_NOTIFIC D/P code
DT_NOTIFIC Q date
SG_UF_NOT Q SP|RJ|MG|BA|RS
ID_MUNICIP Q int:110001:530010
NM_PACIENT D full
DT_NASC Q date
CS_SEXO Q M|F|I
CS_RACA Q/S 1|2|3|4|5
CS_ESCOL_N Q int:0:10
NM_MAE_PAC D full
FEBRE S 1|2|9
TOSSE S 1|2|9
CLASSI_FIN S 1|2|5
EVOLUCAO S 1|2|3|9
DT_OBITO Q/S date""",
    "personnel fr": """
matricule D/P code
nom D last
prenom D first
nom_jeune_fille D last
date_naissance Q date
sexe Q H|F
situation_familiale Q celibataire|marie|divorce|veuf
nb_enfants Q 0|1|2|3
date_embauche Q date
poste Q Comptable|Technicien|Ingenieur|Secretaire
service Q/N Achats|Paie|Informatique
salaire_brut S int:1500:6000
type_contrat Q/N CDI|CDD|Interim
courriel D email
commune Q city
handicap Q/S oui|non
arrets_maladie S/N int:0:30
syndicat S CGT|CFDT|aucun""",
    "pmsi fr": """
numero_sejour D/P code
ipp P/D pid
date_entree Q date
date_sortie Q date
mode_entree N/QS 6|7|8
mode_sortie N/QS 6|7|8|9
sexe Q 1|2
age Q age
code_postal Q zip
diagnostic_principal S icd
ghm S/N 05M091|11M041|04M051|08C481
duree_sejour N/QS int:0:30
finess Q/N code9
montant S/N float:100:9000""",
    "krankenhaus de": """
Fallnummer D/P code
PatientenID P/D pid
Aufnahmedatum Q date
Entlassungsdatum Q date
Geburtsjahr Q year
Geschlecht Q m|w
PLZ Q zip
Hauptdiagnose S icd
Nebendiagnose S icd
OPS_Code S 5-820.00|5-470.11|8-930|9-984.7
Verweildauer N/QS int:1:40
Fachabteilung N/QS 0100|1500|2400|3000
Beatmungsstunden S/N int:0:200
Entlassungsgrund N/QS 011|021|071
Krankenkasse N/QS AOK|TK|BARMER|DAK
Kosten S/N float:500:20000
Groesse_cm Q/S int:150:195
Gewicht_kg S/Q int:45:130""",
    "schueler de": """
SchuelerNr D/P code
Name D last
Rufname D first
Klasse Q 5a|5b|6a|6b
GebDat Q date
Geschl Q m|w
Staatsangeh Q deutsch|syrisch|polnisch|serbisch
Muttersprache Q deutsch|arabisch|polnisch
NoteMathe S/Q 1|2|3|4|5|6
NoteDeutsch S/Q 1|2|3|4|5|6
Fehlstunden S/N int:0:60
Foerderbedarf S/Q keiner|Lernen|Sprache
Schulform Q/N Gymnasium|Realschule|Gesamtschule
Religionsunterricht S/NQ ev|rk|Ethik""",
    "panel nl": """
nomem_encr D/P code
nohouse_encr H/DP pid
geslacht Q 1|2
gebjaar Q year
leeftijd Q age
lftdcat Q 1|2|3|4|5|6|7
aantalhh Q 1|2|3|4|5|6
aantalki Q 0|1|2|3|4
burgstat Q 1|2|3|4|5
woonvorm Q/N 1|2|3|4|5
woning N/Q 1|2|3
sted Q/N 1|2|3|4|5
belbezig Q 1|2|3|4|5|6|7|8|9|10
brutoink S int:0:8000
nettoink S int:0:6000
oplcat Q 1|2|3|4|5|6
herkomstgroep Q/S 0|101|102|201|202""",
    "patienten nl": """
patientnr P/D pid
bsn D/P code
achternaam D last
voorletters D/Q A.B.|C.|J.H.|M.|P.J.|K.L.
tussenvoegsel N/DQ van|de|van der|ten
geboortedatum Q date
geslacht Q M|V
postcode Q nlzip
woonplaats Q city
huisarts Q/DN last
opnamedatum Q date
ontslagdatum Q date
diagnosecode S icd
behandeling S operatie|medicatie|observatie
medicatie S metoprolol|simvastatine|geen|omeprazol
verzekeraar N/QS CZ|VGZ|Menzis
gewicht S/Q int:45:120
bloeddruk_sys S int:90:180
roker S ja|nee|gestopt""",
    "ricoveri it": """
codice_fiscale P/D pid
cognome D last
nome D first
data_nascita Q date
sesso Q M|F
comune_residenza Q city
cittadinanza Q ITA|ROU|MAR
titolo_studio Q licenza media|diploma|laurea
data_ricovero Q date
data_dimissione Q date
diagnosi_principale S icd
reparto N/QS Chirurgia|Medicina|Ostetricia
professione Q operaio|impiegato|pensionato
peso S/Q int:45:120
stato_civile Q celibe|nubile|coniugato|vedovo""",
    "pacjenci pl": """
pesel P/D pid
imie D first
nazwisko D last
data_urodzenia Q date
plec Q K|M
miejscowosc Q city
kod_pocztowy Q zip
rozpoznanie S icd
data_przyjecia Q date
data_wypisu Q date
oddzial N/QS Chirurgia|Interna|Pediatria
zawod Q rolnik|nauczyciel|kierowca
wyksztalcenie Q podstawowe|srednie|wyzsze
stan_cywilny Q panna|kawaler|zamezna|wdowa""",
    "patienter sv": """
personnummer P/D pid
efternamn D last
fornamn D first
kon Q man|kvinna
alder Q age
kommun Q city
inskrivningsdatum Q date
utskrivningsdatum Q date
diagnos S icd
vardtid N/QS int:1:20
civilstand Q gift|ogift|skild|anka
yrke Q larare|snickare|lakare
inkomst S int:100000:600000
utbildning Q grundskola|gymnasium|hogskola""",
    "omop person en": """
person_id D/P code
gender_concept_id Q 8507|8532
year_of_birth Q year
month_of_birth Q int:1:12
day_of_birth Q int:1:28
birth_datetime Q datetime
race_concept_id Q/S 8527|8515|8516
ethnicity_concept_id Q/S 38003563|38003564
location_id Q int:1:80
provider_id Q/N int:1:50
care_site_id Q/N int:1:20
person_source_value D/P uuid
gender_source_value Q M|F""",
    "omop drug en": """
drug_exposure_id N/D code
person_id P pid
drug_concept_id S int:19000000:19000090
drug_exposure_start_date Q date
drug_exposure_end_datetime Q datetime
drug_type_concept_id N 32869|32838
stop_reason N/S none|completed
refills N/S 0|1|2
quantity N/S int:1:90
days_supply N/S 7|14|30|90
sig N/S once daily|twice daily
route_concept_id N/S 4132161|4171047
visit_occurrence_id D/P manyid
drug_source_value S 860975|197361|308136|314076|310798|312961|855332|849574""",
    "mimic admissions en": """
subject_id P pid
hadm_id D/P code
admittime Q datetime
dischtime Q datetime
deathtime Q/S datetime
admission_type N/QS EMERGENCY|ELECTIVE|URGENT
admission_location N/QS CLINIC|TRANSFER|EMERGENCY ROOM
discharge_location N/QS HOME|SNF|REHAB|DIED
insurance N/QS Medicare|Medicaid|Private
language Q/N ENGL|SPAN|RUSS
religion S/Q CATHOLIC|JEWISH|NOT SPECIFIED
marital_status Q MARRIED|SINGLE|WIDOWED
ethnicity Q/S WHITE|BLACK|ASIAN
diagnosis S SEPSIS|PNEUMONIA|CHEST PAIN|STROKE
hospital_expire_flag S/Q 0|1
has_chartevents_data N 0|1""",
    "eicu en": """
patientunitstayid D/P code
patienthealthsystemstayid D/P manyid
uniquepid P/D pid
gender Q Male|Female
age Q age
ethnicity Q/S Caucasian|African American|Asian
hospitalid Q/N int:50:400
wardid Q/N int:200:900
apacheadmissiondx S Sepsis|CVA|MI|Trauma
admissionheight Q/S int:150:195
admissionweight S/Q float:45:130
hospitaladmittime24 Q/N time
hospitaldischargestatus S/Q Alive|Expired
unittype N/QS MICU|SICU|CCU""",
    "i2b2 en": """
ENCOUNTER_NUM D/P manyid
PATIENT_NUM P pid
CONCEPT_CD S ICD10:E11|ICD10:I10|LOINC:2345|ICD9:250
PROVIDER_ID N/Q int:1:40
START_DATE Q datetime
MODIFIER_CD N @|DOSE
VALTYPE_CD N N|T
TVAL_CHAR S/N E|POS|NEG
NVAL_NUM S/N float:0:300
UNITS_CD N mg|ml|u
LOCATION_CD Q/N A|B|C
SOURCESYSTEM_CD N EPIC|LAB""",
    "sdtm ae en": """
STUDYID N const:ABC-01
DOMAIN N const:AE
USUBJID P pid
AESEQ N 1|2|3|4|5
AETERM S HEADACHE|NAUSEA|RASH|FATIGUE|DIZZINESS
AEDECOD S Headache|Nausea|Rash|Fatigue|Dizziness
AEBODSYS S Nervous|Skin|General
AESEV S/N MILD|MODERATE|SEVERE
AESER S/N Y|N
AEREL S/N NONE|POSSIBLE|PROBABLE
AESTDTC Q date
AEENDTC Q date
AESTDY N/Q int:1:200""",
    "adsl en": """
STUDYID N const:XYZ
USUBJID D/P code
SUBJID D/P code
SITEID Q int:701:718
AGE Q age
AGEGR1 Q <65|65-80|>80
SEX Q M|F
RACE Q/S WHITE|BLACK|ASIAN
ETHNIC Q/S HISPANIC|NOT HISPANIC
TRT01P S/N Placebo|Low|High
TRTSDT Q date
TRTEDT Q date
SAFFL N Y|N
BMIBL S/Q float:18:40
HEIGHTBL Q/S float:150:195
DTHFL S/Q Y|N
DCSREAS S/N Adverse Event|Withdrew|Completed""",
    "synthea encounters en": """
Id D/P uuid
START Q datetime
STOP Q datetime
PATIENT P pid
ORGANIZATION Q/N int:1:30
PROVIDER Q/N int:1:60
PAYER N/QS int:1:8
ENCOUNTERCLASS N/QS ambulatory|emergency|inpatient
CODE S/N 185345009|162673000|410620009
DESCRIPTION S/N Encounter for symptom|General examination|Well child visit
BASE_ENCOUNTER_COST S/N float:77:150
TOTAL_CLAIM_COST S/N float:77:9000
REASONCODE S/N 10509002|195662009|444814009
REASONDESCRIPTION S Acute bronchitis|Viral pharyngitis|Sinusitis""",
    "ipums en": """
YEAR N/Q const:2019
SERIAL H/DP pid
HHWT W/N float:10:400
STATEFIP Q int:1:56
COUNTYFIP Q int:1:180
GQ N/Q 1|2|3
PERNUM N 1|2|3|4|5
PERWT W/N float:10:400
RELATE Q int:1:13
SEX Q 1|2
AGE Q age
MARST Q 1|2|3|4|5|6
RACE Q/S int:1:9
HISPAN Q/S 0|1|2|3|4
BPL Q int:1:90
EDUC Q int:0:11
EMPSTAT Q 1|2|3
OCC Q int:10:900
INCTOT S int:0:150000
VETSTAT Q 1|2""",
    "eu lfs en": """
COUNTRY N/Q const:AT
REFYEAR N/Q const:2015
REFWEEK N/Q int:1:52
HHNUM H/DP pid
SEX Q 1|2
AGE Q 17|22|27|32|37|42|47|52|57|62
MARSTAT Q 0|1|2
NATIONAL Q AT|DE|TR|HU
YEARESID Q/N 1|2|3|4
ILOSTAT Q 1|2|3
STAPRO Q/N 1|2|3
NACE1D Q A|B|C|D|E|F|G
ISCO1D Q 100|200|300|400|500
FTPT Q/N 1|2
HWUSUAL Q/N int:1:60
HATLEV1D Q L|M|H
INCDECIL S/Q int:1:10
REGION Q 11|12|13|21|22
DEGURBA Q/N 1|2|3
COEFF W float:0.2:4""",
    "hr export en": """
Employee_Name D full
EmpID D/P code
MarriedID Q 0|1
GenderID Q 0|1
Salary S int:45000:120000
Position Q Technician|Manager|Engineer|Analyst
State Q MA|CT|TX|VT
Zip Q zip
DOB Q date
Sex Q M|F
MaritalDesc Q Single|Married|Divorced
CitizenDesc Q US Citizen|Non-Citizen|Eligible
HispanicLatino Q/S Yes|No
RaceDesc Q/S White|Black|Asian
DateofHire Q date
DateofTermination Q/S date
TermReason S/N hours|more money|unhappy|N/A
Department Q/N Production|IT|Sales
ManagerName Q/DN last
RecruitmentSource N/Q LinkedIn|Indeed|Website
PerformanceScore S Exceeds|Fully Meets|Needs Improvement
EngagementSurvey S/N float:1:5
EmpSatisfaction S/N 1|2|3|4|5
DaysLateLast30 S/N 0|1|2|3
Absences S/N int:0:20""",
    "loan en": """
Loan_ID D/P code
Gender Q Male|Female
Married Q Yes|No
Dependents Q 0|1|2|3+
Education Q Graduate|Not Graduate
Self_Employed Q Yes|No
ApplicantIncome S int:1000:9000
CoapplicantIncome S int:0:5000
LoanAmount S/N int:10:600
Loan_Amount_Term N/S 360|180|120
Credit_History S/N 0|1
Property_Area Q/N Urban|Rural|Semiurban
Loan_Status S/N Y|N""",
    "survey battery en": """
resp_no D/P code
q1_1 N/S 1|2|3|4|5
q1_2 N/S 1|2|3|4|5
q1_3 N/S 1|2|3|4|5
q1_4 N/S 1|2|3|4|5
q1_5 N/S 1|2|3|4|5
q2a N/S 1|2|3|4|5|9
q2b N/S 1|2|3|4|5|9
q2c N/S 1|2|3|4|5|9
q2d N/S 1|2|3|4|5|9
age_group Q 18-29|30-49|50-64|65+
region Q North|South|East|West
weight W float:0.3:3""",
}

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
    for line in TABLES[name].strip().splitlines():
        column, code, source = line.split(" ", 2)
        truth[column] = code
        columns[column] = _drawn(source, language, drawn, rows)
    return columns, truth


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
