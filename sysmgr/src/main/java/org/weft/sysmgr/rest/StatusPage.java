package org.weft.sysmgr.rest;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/**
 * The status as a page for a person: made on the server, no script, nothing fetched from elsewhere,
 * loaded again by itself. Every value goes through {@link #escape}: names come from daemons and
 * users.
 */
final class StatusPage {
  private static final int REFRESH_SECONDS = 3;
  private static final int PERCENT = 100;
  private static final int UNIT_STEP = 1024;
  private static final String STYLE =
      """
      :root{color-scheme:light dark;--line:#8884;--error:#c62828;--warning:#b26a00;--good:#2e7d32}
      body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:64rem;padding:0 1rem}
      h1{font-size:1.4rem;margin:0}h2{font-size:1.05rem;margin:1.6rem 0 .4rem}
      p{margin:.2rem 0}.dim{opacity:.7}
      table{border-collapse:collapse;width:100%}
      th,td{text-align:left;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line)}
      th{font-weight:600}td.number,th.number{text-align:right}
      .UP,.serving{color:var(--good)}.SUSPECT,.warning{color:var(--warning)}
      .DOWN,.error{color:var(--error)}
      li{margin:.3rem 0}
      """;

  private final StringBuilder html = new StringBuilder();

  private StatusPage() {}

  static String of(Views.Status status) {
    StatusPage page = new StatusPage();
    page.head("Weft " + status.table().clusterName());
    page.heading(status);
    page.problems(status.problems());
    page.osds(status.table().osds());
    page.balances(status.table().balances());
    page.repairPause(status.table().repairPause());
    page.volumes(status.table().volumes());
    page.managers(status.table().managers());
    page.events(status.lastEvents());
    page.foot(status);
    return page.html.toString();
  }

  /** Where this member cannot say. */
  static String unknown(String why) {
    StatusPage page = new StatusPage();
    page.head("Weft");
    page.html.append("<h1>Weft</h1><p class=\"error\">").append(escape(why)).append("</p>");
    page.html.append("</body></html>\n");
    return page.html.toString();
  }

  private void head(String title) {
    html.append("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">")
        .append("<meta name=\"viewport\" content=\"width=device-width\">")
        .append("<meta http-equiv=\"refresh\" content=\"")
        .append(REFRESH_SECONDS)
        .append("\">")
        .append("<title>")
        .append(escape(title))
        .append("</title>")
        .append("<style>")
        .append(STYLE)
        .append("</style></head><body>");
  }

  private void heading(Views.Status status) {
    html.append("<h1>Weft cluster ").append(escape(status.table().clusterName())).append("</h1>");
    html.append("<p class=\"dim\">")
        .append(escape(status.table().clusterId()))
        .append(" &middot; table version ")
        .append(status.table().version());
    if (!status.durability().isEmpty()) {
      html.append(" &middot; data is acknowledged ").append(escape(status.durability()));
    }
    html.append("</p>");
  }

  private void problems(List<Views.ProblemView> problems) {
    html.append("<h2>Health</h2>");
    if (problems.isEmpty()) {
      html.append("<p class=\"UP\">No problems.</p>");
      return;
    }
    html.append("<ul>");
    for (Views.ProblemView problem : problems) {
      html.append("<li><span class=\"")
          .append(escape(problem.severity()))
          .append("\">")
          .append(escape(problem.severity()))
          .append("</span> ")
          .append(escape(problem.what()))
          .append(" <span class=\"dim\">")
          .append(escape(problem.advice()))
          .append("</span></li>");
    }
    html.append("</ul>");
  }

  private void events(List<Views.EventView> events) {
    html.append("<h2>Last events</h2><ul>");
    for (int index = events.size() - 1; index >= 0; index--) {
      Views.EventView event = events.get(index);
      html.append("<li><span class=\"dim\">")
          .append(
              escape(
                  Instant.ofEpochMilli(event.millis()).truncatedTo(ChronoUnit.SECONDS).toString()))
          .append(' ')
          .append(escape(event.kind()))
          .append("</span> ")
          .append(escape(event.what()));
      if (!event.user().isEmpty()) {
        html.append(" <span class=\"dim\">").append(escape(event.user())).append("</span>");
      }
      html.append("</li>");
    }
    html.append("</ul>");
  }

  private void osds(List<Views.Osd> osds) {
    html.append("<h2>OSDs</h2>");
    if (osds.isEmpty()) {
      html.append("<p>None has joined yet.</p>");
      return;
    }
    html.append("<table><tr><th>OSD</th><th>state</th><th>host</th><th>address</th>")
        .append("<th class=\"number\">used</th><th class=\"number\">capacity</th>")
        .append("<th class=\"number\">objects</th></tr>");
    for (Views.Osd osd : osds) {
      html.append("<tr>");
      cell(Integer.toUnsignedString(osd.id()));
      state(osd.state(), osdState(osd));
      cell(osd.host());
      cell(String.join(", ", osd.addresses()));
      number(bytes(osd.usedBytes()) + share(osd));
      number(bytes(osd.capacityBytes()));
      number(Long.toUnsignedString(osd.objects()));
      html.append("</tr>");
    }
    html.append("</table>");
  }

  private void balances(List<BalanceView> balances) {
    for (BalanceView balance : balances) {
      if (balance.isUnderWay()) {
        html.append("<p>").append(escape(balance.sentence())).append("</p>");
      }
    }
  }

  private void repairPause(RepairPauseView pause) {
    if (pause != null) {
      html.append("<p>").append(escape(pause.sentence())).append("</p>");
    }
  }

  private static String osdState(Views.Osd osd) {
    if (osd.removed()) {
      return "REMOVED";
    }
    String drained = osd.drained() ? ", drained" : ", draining";
    return osd.draining() ? osd.state() + drained : osd.state();
  }

  private static String share(Views.Osd osd) {
    return osd.capacityBytes() <= 0
        ? ""
        : " (" + osd.usedBytes() * PERCENT / osd.capacityBytes() + " %)";
  }

  private void volumes(List<Views.Volume> volumes) {
    html.append("<h2>Volumes</h2><table><tr><th>path</th><th>state</th><th>manager</th>")
        .append("<th>backup</th><th class=\"number\">epoch</th><th class=\"number\">files</th>")
        .append("<th class=\"number\">sessions</th><th class=\"number\">journal</th></tr>");
    for (Views.Volume volume : volumes) {
      Views.Health health = volume.health();
      html.append("<tr>");
      cell(volume.path());
      state(health == null ? "not served" : health.state());
      cell(volume.managerId() == 0 ? "none" : Integer.toUnsignedString(volume.managerId()));
      cell(backup(volume));
      number(Long.toUnsignedString(volume.epoch()));
      number(health == null ? "" : Long.toUnsignedString(health.files()));
      number(health == null ? "" : Long.toUnsignedString(health.sessions()));
      number(health == null ? "" : bytes(health.journalBytes()));
      html.append("</tr>");
    }
    html.append("</table>");
  }

  private static String backup(Views.Volume volume) {
    String state = volume.health() == null ? "" : volume.health().backupState();
    if (volume.backupId() == 0) {
      return state.equals("catching up") ? "none yet, catching up" : "none";
    }
    Views.Warm warm = volume.health() == null ? null : volume.health().backupWarm();
    return Integer.toUnsignedString(volume.backupId())
        + (state.isEmpty() ? "" : ", " + state)
        + (warm == null ? "" : ", in memory: " + warm.state());
  }

  private void managers(List<Views.Manager> managers) {
    html.append("<h2>Managers</h2>");
    if (managers.isEmpty()) {
      html.append("<p>None has joined yet.</p>");
      return;
    }
    html.append("<table><tr><th>manager</th><th>state</th><th>host</th><th>address</th></tr>");
    for (Views.Manager manager : managers) {
      html.append("<tr>");
      cell(Integer.toUnsignedString(manager.id()));
      state(manager.state());
      cell(manager.host());
      cell(String.join(", ", manager.addresses()));
      html.append("</tr>");
    }
    html.append("</table>");
  }

  private void foot(Views.Status status) {
    html.append("<p class=\"dim\">SysMgr at ")
        .append(escape(String.join(", ", status.sysmgrs())))
        .append(" (leader first). As JSON: <a href=\"/api/v1/status\">/api/v1/status</a></p>")
        .append("</body></html>\n");
  }

  private void cell(String text) {
    html.append("<td>").append(escape(text)).append("</td>");
  }

  private void number(String text) {
    html.append("<td class=\"number\">").append(escape(text)).append("</td>");
  }

  private void state(String state) {
    state(state, state);
  }

  private void state(String state, String words) {
    html.append("<td class=\"").append(escape(state)).append("\">").append(escape(words));
    html.append("</td>");
  }

  private static String bytes(long count) {
    String[] units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = count;
    int unit = 0;
    while (value >= UNIT_STEP && unit < units.length - 1) {
      value /= UNIT_STEP;
      unit++;
    }
    return unit == 0
        ? count + " B"
        : String.format(Locale.ROOT, value < 10 ? "%.1f %s" : "%.0f %s", value, units[unit]);
  }

  /** Makes any text safe inside an element or a quoted attribute. */
  static String escape(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> safe.append("&amp;");
        case '<' -> safe.append("&lt;");
        case '>' -> safe.append("&gt;");
        case '"' -> safe.append("&quot;");
        case '\'' -> safe.append("&#39;");
        default -> safe.append(c);
      }
    }
    return safe.toString();
  }
}
