package org.weft.cli.events;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.Lines;
import org.weft.cli.output.PrintableText;
import org.weft.cli.output.TimeLetter;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.EventMessage;
import org.weft.protocol.wire.GetEventsReply;
import org.weft.protocol.wire.GetEventsRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft events}. */
@Command(
    name = "events",
    description =
        "Tells what happened to the cluster, the oldest first: OSDs and managers that came and went, volumes that went"
            + " to other managers, alerts that began and ended, and what operators asked for. SysMgr keeps the last"
            + " 1,000 events, on all of its members.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft events                   all that is kept",
      "  weft events --since 2h        of the last two hours; 30s, 15m, 2h, 3d, or 2026-01-31T10:00:00Z",
      "  weft events --follow          and what happens from now on, until it is interrupted",
      "",
      "docs/operations.md lists kinds of events and names of alerts, with their causes and what to do."
    })
@JsonFields(
    shape = "one object per line",
    value = {
      "number: grows by one with each event",
      "millis: when it happened, by the clock of SysMgr's leader",
      "kind: a stable word, such as \"osd-down\", \"alert\" or \"alert-ended\"",
      "subject: what it happened to; of an alert its name, then what it is about",
      "what: a sentence",
      "user: the user that asked for it; empty if none did",
      "advice: of an alert, what to do next; else empty"
    })
public final class EventsCommand implements Callable<Integer> {
  private static final long POLL_MILLIS = 1_000;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

  @Spec private CommandSpec spec;
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Nothing older: a time like 2026-01-31T10:00:00Z, or 30s, 15m, 2h or 3d ago.")
  private String since;

  @Option(names = "--follow", description = "Go on with what happens, until it is interrupted.")
  private boolean follow;

  @Option(names = "--json", description = "Write JSON for programs, one object per line.")
  private boolean json;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(names = "--help", usageHelp = true, description = "Shows this help and ends.")
  private boolean help;

  private long after;
  private Lines lines;
  private boolean silent;

  @Override
  public Integer call() throws IOException, InterruptedException {
    lines = new Lines(spec.commandLine().getOut());
    try (AdminView admin = AdminView.open(cluster, "events")) {
      long sinceMillis = since == null ? 0 : sinceMillis(admin.environment().clock().nowMillis());
      print(admin, sinceMillis);
      while (follow) {
        pause(admin);
        follow(admin);
      }
    } catch (CompletionException e) {
      throw WeftException.of(e);
    }
    return 0;
  }

  /**
   * What happened since. SysMgr has no leader now and then. That is printed once, and does not end
   * the command.
   */
  private void follow(AdminView admin) throws IOException {
    try {
      print(admin, 0);
      silent = false;
    } catch (CompletionException e) {
      WeftException failure = WeftException.of(e);
      if (!failure.code().mayPass()) {
        throw failure;
      }
      if (!silent && !json) {
        spec.commandLine()
            .getErr()
            .println("weft: events: goes on once SysMgr replies again; " + failure.getMessage());
        spec.commandLine().getErr().flush();
      }
      silent = true;
    }
  }

  private void print(AdminView admin, long sinceMillis) throws IOException {
    GetEventsReply reply;
    do {
      reply =
          admin
              .view()
              .events(
                  GetEventsRequest.newBuilder()
                      .setAfterNumber(after)
                      .setSinceMillis(sinceMillis)
                      .build())
              .join();
      if (after != 0 && reply.getFirstEvent() > after + 1) {
        lines.println(
            json
                ? Json.line(
                    JsonNodeFactory.instance
                        .objectNode()
                        .put("lostEvents", reply.getFirstEvent() - after - 1))
                : (reply.getFirstEvent() - after - 1)
                    + " events came faster than they were asked for");
      }
      for (EventMessage event : reply.getEventsList()) {
        lines.println(json ? Json.line(object(event)) : text(event));
        after = event.getNumber();
      }
    } while (reply.getMore());
    // Events that are older than asked for are not printed later either.
    after = Math.max(after, reply.getLastEvent());
    lines.check();
  }

  private static void pause(AdminView admin) {
    CompletableFuture<Void> later = new CompletableFuture<>();
    var unused =
        admin
            .environment()
            .scheduler()
            .schedule(
                TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS),
                Runnable::run,
                () -> later.complete(null));
    later.join();
  }

  private static ObjectNode object(EventMessage event) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("number", event.getNumber())
        .put("millis", event.getMillis())
        .put("kind", event.getKind())
        .put("subject", event.getSubject())
        .put("what", event.getWhat())
        .put("user", event.getUser())
        .put("advice", event.getAdvice());
  }

  private static String text(EventMessage event) {
    String time =
        TIME.format(Instant.ofEpochMilli(event.getMillis()).atZone(ZoneId.systemDefault()));
    String user = event.getUser().isEmpty() ? "" : " (asked for by " + event.getUser() + ")";
    String name = event.getKind().startsWith("alert") ? event.getSubject() + ": " : "";
    return "%d  %s  %-16s  ".formatted(event.getNumber(), time, event.getKind())
        + PrintableText.of(name + event.getWhat() + user)
        + (event.getAdvice().isEmpty() ? "" : "\n        " + PrintableText.of(event.getAdvice()));
  }

  private long sinceMillis(long nowMillis) {
    try {
      if (since.matches("[0-9]{1,9}[smhd]")) {
        int letter = since.length() - 1;
        TimeUnit unit = TimeLetter.unit(since.charAt(letter));
        long agoMillis = unit.toMillis(Long.parseLong(since.substring(0, letter)));
        return Math.max(0, nowMillis - agoMillis);
      }
      return Math.max(0, Instant.parse(since).toEpochMilli());
    } catch (DateTimeParseException e) {
      throw new ParameterException(
          spec.commandLine(),
          "weft: events: --since takes 30s, 15m, 2h, 3d or a time like 2026-01-31T10:00:00Z, got '"
              + since
              + "'");
    }
  }
}
