"""End-of-support dates of server software, languages and content management systems.

Compiled by hand from the calendars named beside the dates; they are not updated by a program, and those in the future
are plans of the makers. Where Debian LTS, the standard support of Ubuntu or CentOS go on patching a version without
changing its number, the date is that of the last of them, unless the number itself shows the distribution. Paid
extensions are not considered. What is not here has not ended as far as is known.
"""

from __future__ import annotations

from datetime import date
from typing import Final

SOURCE: Final = "the release calendars named beside the dates"
LICENSE: Final = "facts"
DATE: Final = "2026-11-26"
UBUNTU: Final = {
    "14.04": date(2019, 4, 25),
    "16.04": date(2021, 4, 30),
    "18.04": date(2023, 5, 31),
    "20.04": date(2025, 5, 31),
    "22.04": date(2027, 4, 30),
    "24.04": date(2029, 4, 30),
}
"""End of standard support. Source: https://ubuntu.com/about/release-cycle"""
DEBIAN: Final = {
    "7": date(2018, 5, 31),
    "8": date(2020, 6, 30),
    "9": date(2022, 6, 30),
    "10": date(2024, 6, 30),
    "11": date(2026, 8, 31),
    "12": date(2028, 6, 30),
    "13": date(2030, 6, 30),
}
"""End of long term support. Source: https://wiki.debian.org/LTS"""
CENTOS: Final = {"5": date(2017, 3, 31), "6": date(2020, 11, 30), "7": date(2024, 6, 30), "8": date(2021, 12, 31)}
"""Source: https://www.centos.org/centos-linux-eol/"""

DISTRIBUTED: Final[dict[tuple[str, str], dict[str, date]]] = {
    ("apache", "ubuntu"): {
        "2.4.7": UBUNTU["14.04"],
        "2.4.18": UBUNTU["16.04"],
        "2.4.29": UBUNTU["18.04"],
        "2.4.41": UBUNTU["20.04"],
        "2.4.52": UBUNTU["22.04"],
        "2.4.58": UBUNTU["24.04"],
    },
    ("apache", "debian"): {
        "2.2.22": DEBIAN["7"],
        "2.4.10": DEBIAN["8"],
        "2.4.25": DEBIAN["9"],
        "2.4.38": DEBIAN["10"],
    },
    ("apache", "centos"): {
        "2.2.3": CENTOS["5"],
        "2.2.15": CENTOS["6"],
        "2.4.6": CENTOS["7"],
        "2.4.37": CENTOS["8"],
    },
    ("nginx", "ubuntu"): {
        "1.4.6": UBUNTU["14.04"],
        "1.10.3": UBUNTU["16.04"],
        "1.14.0": UBUNTU["18.04"],
        "1.18.0": UBUNTU["22.04"],
        "1.24.0": UBUNTU["24.04"],
    },
}
"""(software, distribution that the header names) -> version that it ships -> end of support of its last release."""

ENDED: Final[dict[str, tuple[tuple[str, str, date], ...]]] = {
    # https://www.php.net/eol.php and https://www.php.net/supported-versions.php
    "php": (
        ("0", "5.3", CENTOS["5"]),  # PHP 2011-01-06
        ("5.3", "5.4", CENTOS["6"]),  # PHP 2014-08-14
        ("5.4", "5.5", CENTOS["7"]),  # PHP 2015-09-03
        ("5.5", "5.6", UBUNTU["14.04"]),  # PHP 2016-07-21
        ("5.6", "7.0", DEBIAN["8"]),  # PHP 2018-12-31
        ("7.0", "7.1", DEBIAN["9"]),  # PHP 2019-01-10
        ("7.1", "7.2", date(2019, 12, 1)),
        ("7.2", "7.3", UBUNTU["18.04"]),  # PHP 2020-11-30
        ("7.3", "7.4", DEBIAN["10"]),  # PHP 2021-12-06
        ("7.4", "8.0", DEBIAN["11"]),  # PHP 2022-11-28
        ("8.0", "8.1", date(2023, 11, 26)),
        ("8.1", "8.2", UBUNTU["22.04"]),  # PHP 2025-12-31
        ("8.2", "8.3", DEBIAN["12"]),  # PHP 2026-12-31
        ("8.3", "8.4", UBUNTU["24.04"]),  # PHP 2027-12-31
        ("8.4", "8.5", DEBIAN["13"]),  # PHP 2028-12-31
    ),
    # https://httpd.apache.org/ (announcements of the last releases)
    "apache": (("0", "1.4", date(2010, 2, 3)), ("2.0", "2.1", date(2013, 7, 10)), ("2.2", "2.3", CENTOS["6"])),
    # https://nginx.org/en/CHANGES: a branch ends with the next one; Debian and Red Hat go on with some versions
    "nginx": (
        ("0", "1.13", date(2018, 4, 17)),
        ("1.13", "1.14", date(2018, 4, 17)),
        ("1.15", "1.18", date(2021, 4, 20)),
        ("1.18", "1.19", UBUNTU["22.04"]),
        ("1.19", "1.20", date(2021, 4, 20)),
        ("1.21", "1.22", date(2022, 5, 24)),
        ("1.23", "1.24", date(2023, 4, 11)),
        ("1.25", "1.26", date(2024, 4, 23)),
        ("1.27", "1.28", date(2025, 4, 23)),
        ("1.29", "1.30", date(2026, 4, 14)),
    ),
    # https://learn.microsoft.com/en-us/lifecycle/products/internet-information-services-iis (that of its Windows)
    "iis": (
        ("0", "6", date(2010, 7, 13)),
        ("6", "7", date(2015, 7, 14)),
        ("7", "8", date(2020, 1, 14)),
        ("8", "9", date(2023, 10, 10)),
    ),
    # https://openssl-library.org/policies/releasestrat/; 1.0.2 as in CentOS 7, 1.1.0 as in Debian 9
    "openssl": (
        ("0", "1.0.1", date(2015, 12, 31)),
        ("1.0.1", "1.0.2", date(2016, 12, 31)),
        ("1.0.2", "1.1.0", date(2024, 6, 30)),
        ("1.1.0", "1.1.1", date(2022, 6, 30)),
    ),
    # https://devguide.python.org/versions/; 3.4 to 3.10 as in Debian and Ubuntu, 3.6 as in Red Hat 8
    "python": (
        ("0", "3.0", date(2024, 6, 30)),
        ("3.0", "3.5", DEBIAN["8"]),
        ("3.5", "3.6", date(2022, 6, 30)),
        ("3.7", "3.8", date(2024, 6, 30)),
        ("3.8", "3.9", UBUNTU["20.04"]),
        ("3.9", "3.10", DEBIAN["11"]),
        ("3.10", "3.11", UBUNTU["22.04"]),
    ),
    # https://tomcat.apache.org/whichversion.html; "Coyote/1.1" is what versions up to 8.0 call themselves; 7.0 was
    # supported until 2021-03-31, and as in CentOS 7
    "coyote": (("0", "2", CENTOS["7"]),),
    # https://github.com/jetty/jetty.project/issues/7958 and 10485 (community support); 9.4 as in Debian 12
    "jetty": (
        ("0", "9.4", date(2022, 6, 1)),
        ("9.4", "10", DEBIAN["12"]),
        ("10", "12", date(2024, 1, 1)),
    ),
    # https://dotnet.microsoft.com/platform/support/policy/dotnet-framework and aspnet
    "asp.net": (("0", "2", date(2013, 10, 8)),),
    "asp.net mvc": (("0", "5", date(2019, 7, 1)),),
    # https://make.wordpress.org/security/category/status/
    "wordpress": (("0", "4.1", date(2022, 12, 1)), ("4.1", "4.7", date(2025, 7, 1))),
    # https://www.drupal.org/about/core/policies/core-release-cycles/schedule
    "drupal": (
        ("0", "7", date(2016, 2, 24)),
        ("7", "8", date(2025, 1, 5)),
        ("8", "9", date(2021, 11, 2)),
        ("9", "10", date(2023, 11, 1)),
    ),
    # https://docs.joomla.org/Joomla_CMS_versions
    "joomla": (
        ("0", "2", date(2012, 9, 30)),
        ("2", "3", date(2014, 12, 31)),
        ("3", "4", date(2023, 8, 17)),
        ("4", "5", date(2025, 10, 14)),
    ),
    # https://typo3.org/cms/roadmap/maintenance-releases (end of free support)
    "typo3": (
        ("0", "6", date(2015, 3, 31)),
        ("6", "7", date(2017, 3, 31)),
        ("7", "8", date(2018, 11, 30)),
        ("8", "9", date(2020, 3, 31)),
        ("9", "10", date(2021, 9, 30)),
        ("10", "11", date(2023, 4, 30)),
        ("11", "12", date(2024, 10, 31)),
        ("12", "13", date(2026, 4, 30)),
    ),
    # https://www.mediawiki.org/wiki/Version_lifecycle
    "mediawiki": (
        ("0", "1.39", date(2023, 12, 31)),
        ("1.39", "1.40", date(2025, 12, 31)),
        ("1.40", "1.43", date(2025, 6, 30)),
    ),
}
"""Software -> (first version, first version behind, last day of support), where a version range has ended or will."""
NAMES: Final = {
    "php": "PHP",
    "apache": "Apache HTTP Server",
    "nginx": "nginx",
    "iis": "Microsoft IIS",
    "openssl": "OpenSSL",
    "python": "Python",
    "coyote": "Apache Tomcat (Coyote)",
    "jetty": "Jetty",
    "asp.net": "ASP.NET",
    "asp.net mvc": "ASP.NET MVC",
    "wordpress": "WordPress",
    "drupal": "Drupal",
    "joomla": "Joomla",
    "typo3": "TYPO3",
    "mediawiki": "MediaWiki",
}
