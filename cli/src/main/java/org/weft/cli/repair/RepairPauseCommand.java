package org.weft.cli.repair;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.TimeLetter;
import org.weft.protocol.wire.PauseRepairsRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft repair pause}. */
@Command(
    name = "pause",
    description =
        "Pauses rebuilds and drains of the whole cluster, for work on hosts or the network. What was on an OSD"
            + " that is down is not rebuilt then, however long that lasts; what is being rebuilt stops at"
            + " the next component. No file is safer for it: end it as soon as the work is done. While it"
            + " lasts weft status has the alert repair-paused, as an error once the loss of one more OSD may"
            + " cost data. It ends by itself. A second pause takes the place of the first.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft repair pause --for 4h --reason 'rack 3 gets another switch'",
      "  weft repair resume",
      "",
      "Reads, writes, comparisons of OSDs that came back, repairs of bad blocks and balances go on."
    })
@JsonFields(
    shape = "one object",
    value = {
      "paused: whether rebuilds and drains are paused now",
      "reason: of the pause; as the three below, only while they are paused",
      "user: that asked for it",
      "sinceMillis: when it began",
      "endMillis: when it ends by itself"
    })
public final class RepairPauseCommand implements Callable<Integer> {
  private static final Pattern TIME = Pattern.compile("([0-9]{1,6})([mhd])");

  @Spec private CommandSpec spec;
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(
      names = "--for",
      paramLabel = "TIME",
      defaultValue = "24h",
      description =
          "How long, like 30m, 4h or 2d: 1 minute to 7 days, counted from now by SysMgr's clock. Default:"
              + " ${DEFAULT-VALUE}.")
  private String lasts;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      required = true,
      description = "Why; it is shown with the alert.")
  private String reason;

  @Option(names = "--json", description = "Write JSON for programs.")
  private boolean json;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(names = "--help", usageHelp = true, description = "Shows this help and ends.")
  private boolean help;

  @Override
  public Integer call() throws IOException {
    PauseRepairsRequest wanted =
        PauseRepairsRequest.newBuilder()
            .setUser(cluster.userName())
            .addAllGroups(cluster.groups())
            .setReason(reason)
            .setForMillis(lastsMillis())
            .build();
    return RepairChange.run(cluster, wanted, json, spec.commandLine().getOut());
  }

  /** SysMgr says how short and how long it may be. */
  private long lastsMillis() {
    Matcher time = TIME.matcher(lasts);
    if (!time.matches() || Long.parseLong(time.group(1)) == 0) {
      throw new ParameterException(
          spec.commandLine(),
          "weft: repair pause: --for takes a time like 30m, 4h or 2d, got '" + lasts + "'");
    }
    TimeUnit unit = TimeLetter.unit(time.group(2).charAt(0));
    return unit.toMillis(Long.parseLong(time.group(1)));
  }
}
