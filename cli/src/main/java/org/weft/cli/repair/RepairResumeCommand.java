package org.weft.cli.repair;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.JsonFields;
import org.weft.protocol.wire.PauseRepairsRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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
public final class RepairResumeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ClusterOptions cluster = new ClusterOptions();

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
            .setResume(true)
            .build();
    return RepairChange.run(cluster, wanted, json, spec.commandLine().getOut());
  }
}
