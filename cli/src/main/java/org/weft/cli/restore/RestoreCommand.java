package org.weft.cli.restore;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import org.weft.cli.output.CommandFailure;
import org.weft.cli.output.PrintableText;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.sysmgr.configuration.cluster.Cluster;
import org.weft.sysmgr.configuration.restore.Restoration;
import org.weft.sysmgr.configuration.restore.RestoredConfiguration;
import org.weft.sysmgr.configuration.restore.SealedCopy;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.storage.JoinTokenFile;
import org.weft.sysmgr.storage.MemberDirectory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weft sysmgr restore}. */
@Command(
    name = "restore",
    description =
        "Builds SysMgr again from the copies that OSDs keep, where the disks of all its members are"
            + " lost. Stop what is left of SysMgr first. The OSDs that the copy names are asked"
            + " too, as far as they run.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft sysmgr restore --from /disk1/weft,/disk2/weft --data /var/lib/weft/sysmgr",
      "  weft sysmgr restore --from storage0:7400 --join-token-file join-token --data"
          + " /var/lib/weft/sysmgr"
    })
public final class RestoreCommand implements Callable<Integer> {
  private static final int MAX_ROUNDS = 5;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--from",
      required = true,
      split = ",",
      paramLabel = "DIR|HOST:PORT",
      description = "Data directories of OSDs, or addresses of OSDs that run.")
  private List<String> from;

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "The new data directory of SysMgr; empty or not there.")
  private Path data;

  @Option(
      names = "--join-token-file",
      paramLabel = "FILE",
      description = "The cluster's join token: needed to ask OSDs; else the copy's own is taken.")
  private Path tokenFile;

  @Option(
      names = "--accept-older",
      paramLabel = "VERSION",
      description =
          "Restore this version although an OSD knows of something newer, which is then lost.")
  private Long acceptOlder;

  @Option(
      names = "--accept-unwitnessed",
      description =
          "Restore although no OSD runs that could say whether it knows of something newer, which is then lost.")
  private boolean acceptUnwitnessed;

  @Override
  public Integer call() {
    try {
      return restore();
    } catch (IOException e) {
      throw new CommandFailure(e.getMessage(), e);
    }
  }

  private int restore() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    try (SystemEnvironment system = SystemEnvironment.create()) {
      CopySources sources = new CopySources(system.environment());
      SealedCopy copy = newest(sources);
      sources
          .failures()
          .forEach(failure -> out.println("  nothing from " + PrintableText.of(failure)));
      Configuration configuration = copy.configuration();
      Cluster cluster = configuration.cluster().orElseThrow();
      out.printf(
          "The newest copy: version %d of cluster %s (%s), made %s; %d OSDs were asked.%n",
          configuration.version(),
          PrintableText.of(cluster.name()),
          cluster.id(),
          Instant.ofEpochMilli(copy.madeMillis()),
          sources.witnesses().size());
      requireWitness(configuration, sources);
      requireNewest(configuration, sources);
      Configuration restored =
          Restoration.restored(
              configuration, sources.witnesses(), system.environment().clock().nowMillis());
      MemberDirectory.restore(data, RestoredConfiguration.write(restored));
    }
    out.printf(
        """
        Restored into %s. Next:
          1. start SysMgr with this data directory, alone: weft sysmgr --data %s ...
          2. start the managers again; OSDs that run come back by themselves
          3. add the other members: weft sysmgr --join, then weft sysmgr member add
        """,
        data, data);
    out.flush();
    return 0;
  }

  private SealedCopy newest(CopySources sources) throws IOException {
    Optional<byte[]> token =
        tokenFile == null ? Optional.empty() : Optional.of(JoinTokenFile.read(tokenFile));
    for (String source : from) {
      if (Files.isDirectory(Path.of(source))) {
        sources.read(Path.of(source));
      } else if (token.isPresent()) {
        sources.ask(Endpoint.parse(source), token.get());
      } else {
        throw new CommandFailure(
            source + " is no directory here; to ask an OSD there, name --join-token-file");
      }
    }
    Set<Endpoint> asked = new HashSet<>();
    for (int round = 0; round < MAX_ROUNDS; round++) {
      Configuration known = found(sources).configuration();
      byte[] own = known.cluster().orElseThrow().joinToken().bytes();
      boolean news = false;
      for (var osd : known.osds().values()) {
        for (Endpoint address : osd.node().addresses()) {
          if (asked.add(address)) {
            sources.ask(address, own);
            news = true;
          }
        }
      }
      if (!news) {
        break;
      }
    }
    SealedCopy newest = found(sources);
    requireOneCluster(sources, newest, token);
    return newest;
  }

  private SealedCopy found(CopySources sources) {
    OptionalLong wanted = acceptOlder == null ? OptionalLong.empty() : OptionalLong.of(acceptOlder);
    Optional<SealedCopy> chosen =
        wanted.isEmpty()
            ? sources.newest()
            : sources.copies().stream()
                .filter(each -> each.configuration().version() == wanted.getAsLong())
                .findFirst();
    return chosen.orElseThrow(
        () ->
            new CommandFailure(
                "no copy"
                    + (acceptOlder == null ? "" : " of version " + acceptOlder)
                    + " was found: "
                    + String.join("; ", sources.failures())));
  }

  private static void requireOneCluster(
      CopySources sources, SealedCopy newest, Optional<byte[]> token) {
    Cluster cluster = newest.configuration().cluster().orElseThrow();
    for (SealedCopy each : sources.copies()) {
      Cluster other = each.configuration().cluster().orElseThrow();
      if (!other.id().equals(cluster.id())) {
        throw new CommandFailure(
            "there are copies of two clusters, "
                + cluster.id()
                + " and "
                + other.id()
                + "; name only OSDs of one");
      }
    }
    if (token.isPresent()
        && !java.security.MessageDigest.isEqual(token.get(), cluster.joinToken().bytes())) {
      throw new CommandFailure(
          "the copy is not signed with the join token in the file that was named");
    }
  }

  /** Data directories hold copies; only an OSD that runs says which epochs and volumes it knows. */
  private void requireWitness(Configuration chosen, CopySources sources) {
    if (sources.witnesses().isEmpty() && !acceptUnwitnessed) {
      throw new CommandFailure(
          "no OSD of the cluster replied, so nothing says whether the copy of version "
              + chosen.version()
              + " is the newest: volumes, OSDs and managers that joined after it was made would be lost."
              + " Start the OSDs and restore again, it asks those that the copy names. If they"
              + " cannot be started, name the data directories of all OSDs that are left, with"
              + " --accept-unwitnessed");
    }
  }

  private void requireNewest(Configuration chosen, CopySources sources) {
    List<String> newer = Restoration.contradictions(chosen, sources.witnesses());
    long newest = sources.newest().orElseThrow().configuration().version();
    boolean older = chosen.version() < newest || !newer.isEmpty();
    if (older && acceptOlder == null) {
      throw new CommandFailure(
          "the copy is older than what OSDs know: "
              + String.join("; ", newer)
              + ". Name an OSD that has a newer copy. If there is none, --accept-older "
              + chosen.version()
              + " restores this one, and what came after it is lost");
    }
  }
}
