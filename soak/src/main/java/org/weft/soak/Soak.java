package org.weft.soak;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.weft.soak.process.KeptRun;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code it/soak}. */
@Command(
    name = "it/soak",
    description = {
      "Kills and freezes the processes of a cluster and of its clients at random, and accounts for every"
          + " byte that was acknowledged.",
      "Ends with 1 if something was wrong, and leaves everything in the directory that it names."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  it/soak --minutes 10",
      "  it/soak --minutes 60 --seed 7 --clients 4 --keep /tmp/soak-7",
      "  it/soak --minutes 30 --sysmgrs 3 --managers 3 --osds 8    no single process matters",
      "  it/soak --minutes 30 --sysmgrs 3 --managers 3 --osds 8 --cuts    and the network is cut, too",
      "  it/soak --minutes 2 --json"
    })
public final class Soak implements Callable<Integer> {
  @CommandLine.Mixin private KeptRun run;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "5",
      description =
          "How long (default: ${DEFAULT-VALUE}); 0: until each kind of fault has come once.")
  private double minutes;

  @Option(
      names = "--osds",
      paramLabel = "N",
      defaultValue = "6",
      description = "OSDs (default: ${DEFAULT-VALUE}).")
  private int osds;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "3",
      description = "Processes of clients (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--managers",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Managers (default: ${DEFAULT-VALUE}); of two or more each volume has a backup.")
  private int managers;

  @Option(
      names = "--sysmgrs",
      paramLabel = "N",
      defaultValue = "1",
      description = "Members of SysMgr, 1 or 3 (default: ${DEFAULT-VALUE}).")
  private int members;

  @Option(
      names = "--cuts",
      description =
          "Each process has a network namespace of its own (Linux), and the network between them is"
              + " cut, too.")
  private boolean cuts;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "FAULT",
      description =
          "Kinds of faults, of: ${COMPLETION-CANDIDATES} (default: all that such a cluster bears).")
  private List<SoakFault> only;

  /** The command line. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Soak()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Path directory = run.directory("weft-soak-", SoakOptions.LOGS);
    SoakReport report = SoakRun.run(options(directory));
    return run.end(directory, report.isSound(), report.fields(), report::print);
  }

  private SoakOptions options(Path directory) {
    try {
      return new SoakOptions(
          directory.toAbsolutePath(),
          Math.round(minutes * 60),
          run.seed(),
          osds,
          clients,
          managers,
          members,
          cuts,
          only == null ? SoakFault.bornBy(managers, members, cuts) : only);
    } catch (IllegalArgumentException e) {
      throw run.refused(e.getMessage(), e);
    }
  }
}
