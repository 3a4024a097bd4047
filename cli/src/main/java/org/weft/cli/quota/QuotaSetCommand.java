package org.weft.cli.quota;

import java.io.IOException;
import java.util.List;
import org.weft.cli.config.ByteSize;
import org.weft.cli.config.ConfigException;
import org.weft.cli.files.FilesSession;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.client.WeftPath;
import org.weft.client.WeftQuota;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Limits a directory's tree. */
@Command(
    name = "set",
    description = {
      "Limits what a directory's tree may hold. Options that are not given stay as they are.",
      "A hard limit is never exceeded: writing, creating and moving more into the tree fails. Above a"
          + " soft limit `weft status` says so. A tree that holds files is counted in the"
          + " background first. Quotas of directories above hold as well."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft quota set /projects/a --bytes 10T --soft-bytes 9T",
      "  weft quota set / --files 100000000",
      "  weft quota set /projects/a --soft-bytes none"
    })
final class QuotaSetCommand extends QuotaOperation {
  private static final String NONE = "none";

  @Parameters(paramLabel = "PATH", description = "A directory.")
  private String path;

  @Option(
      names = "--bytes",
      paramLabel = "SIZE",
      description = "Lengths of its files together: 512m, 4G, 10T; none.")
  private String bytes;

  @Option(
      names = "--files",
      paramLabel = "N",
      description = "Files, directories and links, the directory itself too; none.")
  private String files;

  @Option(names = "--soft-bytes", paramLabel = "SIZE", description = "Tell above it; none.")
  private String softBytes;

  @Option(names = "--soft-files", paramLabel = "N", description = "Tell above it; none.")
  private String softFiles;

  @Override
  protected void check() {
    path(path);
    if (bytes == null && files == null && softBytes == null && softFiles == null) {
      throw wrong("name a limit: --bytes, --files, --soft-bytes or --soft-files");
    }
    var unused = limits(WeftQuota.Limits.NONE);
  }

  private WeftQuota.Limits limits(WeftQuota.Limits now) {
    return new WeftQuota.Limits(
        size("--bytes", bytes, now.hardBytes()),
        number("--files", files, now.hardFiles()),
        size("--soft-bytes", softBytes, now.softBytes()),
        number("--soft-files", softFiles, now.softFiles()));
  }

  private long size(String name, String text, long now) {
    if (text == null) {
      return now;
    }
    if (text.equals(NONE)) {
      return 0;
    }
    try {
      return atLeastOne(name, ByteSize.parse(name, text));
    } catch (ConfigException e) {
      throw wrong(e.getMessage());
    }
  }

  private long number(String name, String text, long now) {
    if (text == null) {
      return now;
    }
    try {
      return text.equals(NONE) ? 0 : atLeastOne(name, Long.parseLong(text));
    } catch (NumberFormatException e) {
      throw wrong(name + ": expected a number or `none`, got '" + text + "'");
    }
  }

  private long atLeastOne(String name, long value) {
    if (value < 1) {
      throw wrong(name + ": a limit is at least 1; for none say `none`");
    }
    return value;
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    WeftPath directory = path(path);
    WeftQuota.Over over = session.files().quotasOver(directory);
    WeftQuota.Limits now =
        over.own() ? over.quotas().get(over.quotas().size() - 1).limits() : WeftQuota.Limits.NONE;
    WeftQuota.Limits wanted = limits(now);
    if (wanted.equals(WeftQuota.Limits.NONE)) {
      throw wrong("no limit is left; use `weft quota clear`");
    }
    WeftQuota set = session.files().setQuota(directory, wanted);
    console().text().print(json() ? Json.line(QuotaText.json(set)) + "\n" : text(set));
  }

  private static String text(WeftQuota set) {
    return QuotaText.table(List.of(set))
        + (set.counting()
            ? "The tree is being counted; `weft quota show` tells when its limits are in force.\n"
            : "");
  }
}
