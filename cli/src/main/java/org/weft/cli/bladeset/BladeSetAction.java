package org.weft.cli.bladeset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.Json;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.FaultDomain;
import org.weft.protocol.wire.ChangeBladeSetRequest;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the commands on BladeSets have in common. They speak with SysMgr alone. */
abstract class BladeSetAction implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(names = "--json", description = "Write JSON for programs.")
  private boolean json;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(names = "--help", usageHelp = true, description = "Shows this help and ends.")
  private boolean help;

  /** Does the work; a failure of a future travels as it is. */
  abstract void run(AdminView admin) throws IOException;

  /** Looks at the arguments before anything is connected. */
  void check() {}

  @Override
  public final Integer call() throws IOException {
    check();
    try (AdminView admin = AdminView.open(cluster, "bladeset")) {
      run(admin);
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

  final boolean json() {
    return json;
  }

  /** A change that this user asks for. */
  final ChangeBladeSetRequest.Builder wanted(String name) {
    return ChangeBladeSetRequest.newBuilder()
        .setUser(cluster.userName())
        .addAllGroups(cluster.groups())
        .setName(name);
  }

  /** Has it carried out, then says so. */
  final void change(
      AdminView admin, ChangeBladeSetRequest.Builder wanted, ObjectNode done, String sentence) {
    var unused = admin.placement().changeBladeSet(wanted.build()).join();
    out().println(json ? Json.line(done) : sentence);
  }

  final FaultDomain.Wish wish(String word) {
    return FaultDomain.Wish.ofWord(word)
        .orElseThrow(
            () ->
                wrong(
                    "--domain: expected one of "
                        + String.join(", ", FaultDomain.Wish.words())
                        + ", got '"
                        + word
                        + "'"));
  }

  final ParameterException wrong(String message) {
    return new ParameterException(
        spec.commandLine(), "weft: bladeset " + spec.name() + ": " + message);
  }
}
