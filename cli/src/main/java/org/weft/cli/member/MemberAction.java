package org.weft.cli.member;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.config.ConfigException;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.cluster.MemberAdmin;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.SysmgrRow;
import org.weft.sysmgr.storage.JoinTokenFile;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the commands on members have in common. */
abstract class MemberAction implements Callable<Integer> {
  private static final String TOKEN_VARIABLE = "WEFT_JOIN_TOKEN_FILE";

  @Spec private CommandSpec spec;
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(names = "--help", usageHelp = true, description = "Shows this help and ends.")
  private boolean help;

  /** A connection to SysMgr, while the command runs. */
  record Session(ClusterView view, SystemEnvironment system, OwnedExecutor home) {}

  /** Does the work; a failure of a future travels as it is. */
  abstract void run(Session session) throws IOException;

  @Override
  public final Integer call() throws IOException {
    cluster.requireListening();
    ClusterViewOptions options =
        ClusterViewOptions.of(cluster.endpoints(), Optional.empty(), "member");
    try (SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor home = system.environment().scheduler().newSerialExecutor("member");
        ClusterView view = ClusterView.open(options, system.environment(), home).join()) {
      run(new Session(view, system, home));
    } catch (CompletionException e) {
      throw WeftException.of(e);
    } finally {
      out().flush();
    }
    return 0;
  }

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  final List<SysmgrRow> rows(Session session) {
    return session.view().status().join().getSysmgrMembersList();
  }

  /** The row that an operator names by its id or its address. */
  final SysmgrRow named(Session session, String name) {
    List<SysmgrRow> rows = rows(session);
    return rows.stream()
        .filter(row -> name.equals(Integer.toString(row.getMemberId())) || name.equals(rpc(row)))
        .findFirst()
        .orElseThrow(
            () ->
                new ParameterException(
                    spec.commandLine(),
                    "weft: sysmgr member "
                        + spec.name()
                        + ": there is no '"
                        + name
                        + "' among the members and the processes that wait; `weft sysmgr member list` shows them"));
  }

  final MemberAdmin admin(Session session, Path tokenFile) throws IOException {
    return new MemberAdmin(
        session.view(),
        session.system().environment(),
        session.home(),
        TimeUnit.SECONDS.toMillis(cluster.timeoutSeconds()),
        token(tokenFile));
  }

  private static byte[] token(Path given) throws IOException {
    String variable = System.getenv(TOKEN_VARIABLE);
    Path file = given != null ? given : variable == null ? null : Path.of(variable);
    if (file == null || !Files.exists(file)) {
      throw new ConfigException(
          (file == null ? "the join token is needed" : "there is no file " + file)
              + ": name SysMgr's file join-token with --join-token-file or "
              + TOKEN_VARIABLE);
    }
    try {
      return JoinTokenFile.read(file);
    } catch (NoSuchFileException e) {
      throw new ConfigException("there is no file " + file);
    }
  }

  static String rpc(SysmgrRow row) {
    return row.getRpc().getHost() + ":" + row.getRpc().getPort();
  }

  static String log(SysmgrRow row) {
    return row.getLog().getHost() + ":" + row.getLog().getPort();
  }
}
