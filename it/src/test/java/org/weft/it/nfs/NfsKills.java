package org.weft.it.nfs;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.weft.soak.process.KeptRun;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code it/nfs-kills}. */
@Command(
    name = "it/nfs-kills",
    description = {
      "Kills, freezes and restarts NFS gateways, managers and OSDs every few seconds under programs"
          + " on hard mounts. A program must see no error, and every byte and name must be right.",
      "Without --guest the programs use a client of NFS of this command's own: it repeats calls for"
          + " ever under their numbers, keeps what was UNSTABLE until a COMMIT under the same"
          + " verifier, knows what each change of a name must be answered, and reclaims its locks.",
      "With --guest a command uses a gateway by another client, such as a kernel's. It runs in a"
          + " shell with WEFT_NFS_PORT (of NFS, MOUNT and NLM, at 127.0.0.1), WEFT_NFS_EXPORT and"
          + " WEFT_NFS_SECONDS, says 'the load begins' once it has mounted (faults come then), and"
          + " ends with 0 if its programs saw no error.",
      "it/nfs-load DIRECTORY SECONDS is a load for such a guest.",
      "Ends with 1 if something was wrong, and leaves everything in the directory that it names."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  it/nfs-kills --minutes 5",
      "  it/nfs-kills --minutes 30 --seed 7 --victims gateways --json",
      "  it/nfs-kills --minutes 30 --managers 2 --keep /tmp/kills-7",
      "  it/nfs-kills --minutes 20 --gateways 1 --guest 'my-vm --port $WEFT_NFS_PORT it/nfs-load'"
    })
final class NfsKills implements Callable<Integer> {
  @CommandLine.Mixin private KeptRun run;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "5",
      description = "How long faults come (default: ${DEFAULT-VALUE}).")
  private double minutes;

  @Option(
      names = "--gateways",
      paramLabel = "N",
      defaultValue = "3",
      description = "NFS gateways, 1 to 9 (default: ${DEFAULT-VALUE}).")
  private int gateways;

  @Option(
      names = "--osds",
      paramLabel = "N",
      defaultValue = "6",
      description = "OSDs (default: ${DEFAULT-VALUE}).")
  private int osds;

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
      names = "--victims",
      split = ",",
      paramLabel = "KIND",
      defaultValue = "gateways,managers,osds",
      description = "Which processes: gateways, managers, osds (default: ${DEFAULT-VALUE}).")
  private List<String> victims;

  @Option(
      names = "--guest",
      paramLabel = "COMMAND",
      description = "A command that uses a gateway, in place of the programs of this command.")
  private String guest;

  /** The command line. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new NfsKills()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    // Wrong options leave no directory behind.
    List<NfsFault> faults = faults();
    Path directory = run.directory("weft-nfs-kills-", "events");
    NfsKillsReport report = NfsKillsRun.run(options(directory, faults));
    return run.end(directory, report.isSound(), report.fields(), report::print);
  }

  private List<NfsFault> faults() {
    Set<NfsFault.Victim> kinds = EnumSet.noneOf(NfsFault.Victim.class);
    for (String each : victims) {
      kinds.add(
          Stream.of(NfsFault.Victim.values())
              .filter(kind -> kind.name().toLowerCase(Locale.ROOT).equals(each))
              .findFirst()
              .orElseThrow(
                  () ->
                      run.refused(
                          "--victims: '" + each + "' is none of gateways, managers, osds", null)));
    }
    return NfsFault.of(kinds);
  }

  private NfsKillsOptions options(Path directory, List<NfsFault> faults) {
    try {
      return new NfsKillsOptions(
          directory.toAbsolutePath(),
          Math.round(minutes * 60),
          run.seed(),
          gateways,
          osds,
          managers,
          members,
          faults,
          Optional.ofNullable(guest));
    } catch (IllegalArgumentException e) {
      throw run.refused(e.getMessage(), e);
    }
  }
}
