package org.weft.cli.repair;

import org.weft.cli.output.JsonFields;
import org.weft.protocol.wire.PauseRepairsRequest;
import picocli.CommandLine.Command;

/** {@code weft repair resume}. */
@Command(
    name = "resume",
    description =
        "Ends a pause of rebuilds and drains; what was begun goes on. The time of the pause counts: what was on an"
            + " OSD that has been down for longer than repair.after is rebuilt at once. So start the"
            + " OSDs first, and wait until weft status shows them as up.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft repair resume"})
@JsonFields(
    shape = "one object",
    value = {"paused: false"})
public final class RepairResumeCommand extends RepairAction {
  @Override
  void ask(PauseRepairsRequest.Builder wanted) {
    wanted.setResume(true);
  }
}
