package org.weft.cli.status;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.ExitCode;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.sysmgr.rest.StatusJson;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code weft status}. Exit code 0 if nothing is wrong, 12 if something is, 9 if no member of
 * SysMgr answers.
 */
@Command(
    name = "status",
    description = "Says what is up, what is wrong and what to do.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing is wrong",
      "2:wrong usage",
      "9:the cluster did not reply",
      "12:something is in error; what, and what to do, is printed"
    },
    footerHeading = "%nExamples:%n",
    footer = {"  weft status", "  weft status --json --cluster storage1:7300"})
public final class StatusCommand implements Callable<Integer> {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
  @Mixin private ClusterOptions cluster;

  @Option(names = "--json", description = "Print JSON: the same as GET /api/v1/status.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    ClusterStatus status = fetch();
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(new String(StatusJson.of(status), StandardCharsets.UTF_8));
    } else {
      StatusScreen.print(status, cluster.describe(), out);
    }
    out.flush();
    boolean inError = status.getProblemsList().stream().anyMatch(StatusScreen::isError);
    return (inError ? ExitCode.UNHEALTHY : ExitCode.OK).number();
  }

  private ClusterStatus fetch() throws IOException {
    PrintWriter err = spec.commandLine().getErr();
    if (!json) {
      cluster.noticesTo(line -> err.println("weft: status: " + line));
    }
    try (AdminView admin = AdminView.open(cluster, "status")) {
      return admin.view().status().join();
    } catch (CompletionException e) {
      WeftException failure = WeftException.of(e);
      String next =
          failure.code() == ErrorCode.UNAVAILABLE
              ? "; start a cluster with `weft quickstart`, or name one with --cluster HOST:PORT"
              : "";
      throw new WeftException(failure.code(), failure.getMessage() + next, failure);
    }
  }
}
