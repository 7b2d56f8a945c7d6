/** Calendars of our own making, in the shapes that the programs of others really give. */

export const calendar = (...lines: string[]): string =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Test//EN", ...lines, "END:VCALENDAR", ""].join("\r\n");

export const event = (...lines: string[]): string => ["BEGIN:VEVENT", ...lines, "END:VEVENT"].join("\r\n");

/** Google: a zone of the whole, private link elsewhere, a changed and an excepted occurrence, escapes, folded lines. */
export const GOOGLE = calendar(
  "CALSCALE:GREGORIAN",
  "METHOD:PUBLISH",
  "X-WR-CALNAME:Family",
  "X-WR-TIMEZONE:Europe/Berlin",
  ...["BEGIN:VTIMEZONE", "TZID:Europe/Berlin", "X-LIC-LOCATION:Europe/Berlin"],
  ...["BEGIN:DAYLIGHT", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200", "TZNAME:GMT+2", "DTSTART:19700329T020000"],
  ...["RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "END:DAYLIGHT"],
  ...["BEGIN:STANDARD", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100", "TZNAME:GMT+1", "DTSTART:19701025T030000"],
  ...["RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", "END:STANDARD", "END:VTIMEZONE"],
  event(
    "DTSTART;TZID=Europe/Berlin:20260907T180000",
    "DTEND;TZID=Europe/Berlin:20260907T193000",
    "RRULE:FREQ=WEEKLY;BYDAY=MO",
    "EXDATE;TZID=Europe/Berlin:20261207T180000",
    "DTSTAMP:20261123T080000Z",
    "UID:choir@google.com",
    "SEQUENCE:2",
    "STATUS:CONFIRMED",
    "SUMMARY:Choir\\, second",
    "  row",
    "LOCATION:St. Mark's\\; hall 2",
    "URL:https://example.com/choir",
  ),
  event(
    "DTSTART;TZID=Europe/Berlin:20261201T190000",
    "DTEND;TZID=Europe/Berlin:20261201T200000",
    "RECURRENCE-ID;TZID=Europe/Berlin:20261130T180000",
    "UID:choir@google.com",
    "SUMMARY:Choir (moved)",
  ),
  event("DTSTART;VALUE=DATE:20261124", "DTEND;VALUE=DATE:20261125", "UID:day@google.com", "SUMMARY:Bin day"),
);

/** Outlook: zones by Windows' names with rules of their own, UIDs of 112 digits, a day as midnights. */
export const OUTLOOK = calendar(
  "METHOD:PUBLISH",
  ...["BEGIN:VTIMEZONE", "TZID:W. Europe Standard Time"],
  ...["BEGIN:STANDARD", "DTSTART:16010101T030000", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100"],
  ...["RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10", "END:STANDARD"],
  ...["BEGIN:DAYLIGHT", "DTSTART:16010101T020000", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200"],
  ...["RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3", "END:DAYLIGHT", "END:VTIMEZONE"],
  event(
    "RRULE:FREQ=WEEKLY;UNTIL=20261208T083000Z;INTERVAL=1;BYDAY=TU;WKST=MO",
    `UID:${"040000008200E00074C5B7101A82E008".padEnd(112, "0")}`,
    "SUMMARY:Stand-up",
    "DTSTART;TZID=W. Europe Standard Time:20261103T093000",
    "DTEND;TZID=W. Europe Standard Time:20261103T094500",
    "CLASS:PUBLIC",
    "X-MICROSOFT-CDO-BUSYSTATUS:BUSY",
  ),
);

/** Nextcloud: DURATION, a change of all later ones, an alarm inside, a to-do beside. */
export const NEXTCLOUD = calendar(
  "CALSCALE:GREGORIAN",
  event(
    "UID:0b7e8a2c-1111-4222-8333-444455556666",
    "DTSTART;TZID=Europe/Vienna:20261116T070000",
    "DURATION:PT45M",
    "RRULE:FREQ=DAILY;COUNT=30",
    "SUMMARY:Run",
    ...["BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT15M", "SUMMARY:not this", "END:VALARM"],
  ),
  event(
    "UID:0b7e8a2c-1111-4222-8333-444455556666",
    "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Vienna:20261126T070000",
    "DTSTART;TZID=Europe/Vienna:20261126T080000",
    "DURATION:PT1H",
    "SUMMARY:Run later",
  ),
  ...["BEGIN:VTODO", "UID:todo", "DTSTART:20261124T100000Z", "SUMMARY:no event", "END:VTODO"],
);

/** Would be 86,400 events a day, for ever. */
export const BOMB = calendar(
  event("UID:bomb", "DTSTART:19700101T000000Z", "RRULE:FREQ=SECONDLY", "SUMMARY:tick"),
  event("UID:minutes", "DTSTART:20261120T000000Z", "RRULE:FREQ=MINUTELY", "SUMMARY:tock"),
  event("UID:fine", "DTSTART:20261124T100000Z", "DTEND:20261124T110000Z", "SUMMARY:Dentist"),
);
