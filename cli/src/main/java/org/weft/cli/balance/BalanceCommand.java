package org.weft.cli.balance;

import org.weft.cli.cluster.AdminCommand;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.protocol.wire.BalanceAction;
import org.weft.protocol.wire.BalanceRequest;
import org.weft.protocol.wire.GetBalanceReply;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weft balance}. */
@Command(
    name = "balance",
    description =
        "Moves components of files from OSDs that hold more than others to those that hold less, such as new ones,"
            + " until all are within a band around the mean. The components are a random sample of all; large files"
            + " are not favoured, and files that are being written stay. No file has less redundancy at any time,"
            + " and repairs come first. It goes on by itself, also after failures, and ends by itself.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft balance --plan         what would move; nothing does",
      "  weft balance                start it",
      "  weft balance --status       how far it is",
      "  weft balance --pause        let it rest, until --resume",
      "  weft balance --band 2       until no OSD is further than 2 points from the mean",
      "",
      "repair.share of managers says how much of the time it moves bytes."
    })
@JsonFields(
    shape = "one object",
    value = {
      "bladeSet: the BladeSet",
      "state: none, running, paused or ended",
      "number: of the balance; grows",
      "round: of the balance, counting from 1",
      "words: why it ended",
      "meanPercent: of the capacity that is used",
      "spreadPoints: how far the worst OSD is from that",
      "bandPoints: how far it may be",
      "bytesToMove: about; 0 within the band",
      "bytesPerSecond: at which managers move now; 0: they do not",
      "secondsLeft: at that rate; -1: not known",
      "componentsMoved: in this round",
      "bytesMoved: in this round",
      "componentsSkipped: in this round: being written, not at rest, or without an OSD to take them",
      "waits: why nothing moves",
      "osds: of each osdId, usedBytes, capacityBytes, sharePercent, targetBytes, leaveBytes, leaveComponents, comeBytes, comeComponents, apart"
    })
public final class BalanceCommand extends AdminCommand {
  private static final int PPM_OF_POINT = 10_000;
  private static final double MIN_POINTS = 0.1;
  private static final double MAX_POINTS = 50;

  @ArgGroup(exclusive = true)
  private Act act = new Act();

  @Option(
      names = "--blade-set",
      paramLabel = "NAME",
      defaultValue = "default",
      description = "The BladeSet whose OSDs are meant. Default: ${DEFAULT-VALUE}.")
  private String bladeSet;

  @Option(
      names = "--band",
      paramLabel = "POINTS",
      defaultValue = "5",
      description =
          "How far from the mean an OSD may be, in hundredths of its capacity: 0.1 to 50. Default:"
              + " ${DEFAULT-VALUE}.")
  private double band;

  public BalanceCommand() {
    super("balance");
  }

  /** What the command does; without an option it starts a balance. */
  static final class Act {
    @Option(names = "--plan", description = "Show what would move. Nothing does.")
    private boolean plan;

    @Option(names = "--status", description = "Show how far it is.")
    private boolean status;

    @Option(names = "--pause", description = "Move nothing more for now.")
    private boolean pause;

    @Option(names = "--resume", description = "Go on.")
    private boolean resume;

    @Option(names = "--stop", description = "End it. What has moved stays where it is now.")
    private boolean stop;
  }

  @Override
  protected void check() {
    if (!(band >= MIN_POINTS && band <= MAX_POINTS)) {
      throw wrong("--band is 0.1 to 50 points, got " + band);
    }
  }

  @Override
  protected void run(AdminView admin) {
    int bandPpm = (int) Math.round(band * PPM_OF_POINT);
    if (!act.plan && !act.status) {
      var unused = admin.balance().change(request(bandPpm)).join();
    }
    // Its own band shows how a balance stands.
    GetBalanceReply reply = admin.balance().show(bladeSet, act.plan ? bandPpm : 0).join();
    say(new BalanceText(bladeSet, reply));
  }

  private BalanceRequest request(int bandPpm) {
    BalanceAction action = BalanceAction.BALANCE_START;
    if (act.pause) {
      action = BalanceAction.BALANCE_PAUSE;
    } else if (act.resume) {
      action = BalanceAction.BALANCE_RESUME;
    } else if (act.stop) {
      action = BalanceAction.BALANCE_STOP;
    }
    return BalanceRequest.newBuilder()
        .setUser(cluster().userName())
        .addAllGroups(cluster().groups())
        .setBladeSet(bladeSet)
        .setAction(action)
        .setBandPpm(bandPpm)
        .build();
  }

  private void say(BalanceText text) {
    if (json()) {
      out().println(Json.line(text.json()));
    } else if (act.plan) {
      text.printPlan(out());
    } else {
      text.printStatus(out());
    }
  }
}
