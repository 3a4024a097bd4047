package org.weft.cli.repair;

import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.TimeLetter;
import org.weft.protocol.wire.PauseRepairsRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
public final class RepairPauseCommand extends RepairAction {
  private static final Pattern TIME = Pattern.compile("([0-9]{1,6})([mhd])");

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

  @Override
  void ask(PauseRepairsRequest.Builder wanted) {
    wanted.setReason(reason).setForMillis(lastsMillis());
  }

  /** SysMgr says how short and how long it may be. */
  private long lastsMillis() {
    Matcher time = TIME.matcher(lasts);
    if (!time.matches() || Long.parseLong(time.group(1)) == 0) {
      throw wrong("--for takes a time like 30m, 4h or 2d, got '" + lasts + "'");
    }
    TimeUnit unit = TimeLetter.unit(time.group(2).charAt(0));
    return unit.toMillis(Long.parseLong(time.group(1)));
  }
}
