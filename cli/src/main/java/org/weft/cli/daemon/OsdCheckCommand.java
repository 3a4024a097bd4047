package org.weft.cli.daemon;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.CommandFailure;
import org.weft.cli.output.Console;
import org.weft.cli.output.ExitCode;
import org.weft.cli.output.PrintableText;
import org.weft.osd.check.CheckListener;
import org.weft.osd.check.CheckReport;
import org.weft.osd.check.StoreCheck;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft osd check}: proves a stopped store sound. Exit code 0 if it is, 12 if it is not. */
@Command(
    name = "check",
    description =
        "Proves that the store of a stopped OSD is sound: no block is lost or owned twice, and all"
            + " bytes match their checksums. Changes nothing.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the store is sound",
      "1:the store could not be checked",
      "2:wrong usage",
      "12:something is wrong with the store; what is printed"
    },
    footerHeading = "%nExamples:%n",
    footer = {"  weft osd check weft-data/osd-1", "  weft osd check --no-data --json /disk1/weft"})
final class OsdCheckCommand implements Callable<Integer> {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Parameters(paramLabel = "DIR", description = "The OSD's data directory.")
  private Path directory;

  @Option(
      names = "--no-data",
      description = "Do not read the bytes; check only what describes them.")
  private boolean noData;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    if (!Files.isDirectory(directory)) {
      throw new CommandFailure(
          "there is no directory " + directory + "; name the OSD's --data directory");
    }
    PrintWriter out = spec.commandLine().getOut();
    CheckReport report = StoreCheck.run(directory, !noData, progress());
    if (json) {
      out.println(new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(report));
    } else {
      print(report, out);
    }
    out.flush();
    return report.isSound() ? ExitCode.OK.number() : ExitCode.UNHEALTHY.number();
  }

  private CheckListener progress() {
    if (!Console.system().errIsTerminal()) {
      return CheckListener.NONE;
    }
    PrintWriter err = spec.commandLine().getErr();
    return (what, done) -> {
      err.printf(Locale.ROOT, "\r  %,d %s checked ", done, what);
      err.flush();
    };
  }

  private void print(CheckReport report, PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "%s: %,d objects, %,d attribute pages, %,d extents with %,d blocks, %,d tombstones; %s"
            + " compared with checksums; %s%n",
        directory,
        report.objects(),
        report.attributePages(),
        report.extents(),
        report.blocks(),
        report.tombstones(),
        ByteText.of(report.dataBytes()),
        report.orderly() ? "stopped in an orderly way" : "not stopped in an orderly way");
    report.findings().forEach(finding -> out.println("  WRONG: " + PrintableText.of(finding)));
    if (report.moreFindings() > 0) {
      out.printf(Locale.ROOT, "  and %,d more%n", report.moreFindings());
    }
    out.println(
        report.isSound()
            ? "The store is sound."
            : "The store is NOT sound. Files are safe as long as their other components are: keep"
                + " this OSD stopped and its directory as it is.");
  }
}
