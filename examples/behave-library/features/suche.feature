# language: de
Funktionalität: Suche auf Deutsch

  Szenario: Ein Buch finden
    Angenommen ein Katalog mit dem Buch "Das Meer"
    Wenn nach "meer" gesucht wird
    Dann wird "Das Meer" gefunden
