package org.weft.cli.fs;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.output.Failures;
import org.weft.cli.output.JsonFields;
import org.weft.client.CreateOptions;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.layout.FileLimits;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets the length of files. */
@Command(
    name = "truncate",
    description = {
      "Truncates files, or extends them by zeros.",
      "Where no file is, one is made. Zeros behind the end take no space."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs truncate -s 0 /tmp/log          empty it",
      "  weft fs truncate -s -1k /tmp/a.bin      1024 bytes less",
      "  weft fs truncate -s 10G /tmp/disk.img   10 GiB without a block behind them"
    })
@JsonFields(
    shape = "an object for each path",
    value = {"path: absolute", "size: bytes now", "before: bytes before; absent: it was not there"})
final class TruncateCommand extends PathsOperation {
  @Option(
      names = {"-s", "--size"},
      required = true,
      paramLabel = "[+-]SIZE",
      description = "Bytes, like 0, 512 or 4M; + or -: so many more or fewer than now.")
  private String size;

  @Option(
      names = {"-c", "--no-create"},
      description = "Make no files.")
  private boolean noCreate;

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files to truncate or to extend.")
  private List<String> arguments;

  private SizeTest wanted;

  @Override
  protected void check() {
    checkPaths(arguments);
    wanted = SizeTest.parse(size);
    if (wanted.sign() >= 0 && !FileLimits.isFileLength(wanted.bytes())) {
      throw new IllegalArgumentException("--size: " + tooLong());
    }
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    forEach(session.files(), arguments, failures, path -> truncate(session.files(), path));
  }

  private void truncate(RemoteFiles files, WeftPath path) throws IOException {
    Optional<FileStatus> found = files.find(path);
    if (found.isEmpty() && noCreate) {
      return;
    }
    long before = found.map(FileStatus::sizeBytes).orElse(0L);
    long after = target(path, before);
    if (found.isEmpty()) {
      files.create(path, CreateOptions.DEFAULT_MODE, false).close();
    }
    if (after != before || found.isPresent()) {
      var unused = files.truncate(path, after);
    }
    report(
        node -> {
          node.put("path", path.toString()).put("size", after);
          found.ifPresent(status -> node.put("before", before));
        });
  }

  private long target(WeftPath path, long before) {
    if (wanted.sign() < 0) {
      return Math.max(0, before - wanted.bytes());
    }
    // Each is at most 2^60, so that the sum is a number.
    long after = (wanted.sign() > 0 ? before : 0) + wanted.bytes();
    if (!FileLimits.isFileLength(after)) {
      throw new IllegalArgumentException(path + ": has " + before + " bytes; with " + tooLong());
    }
    return after;
  }

  private String tooLong() {
    return size
        + " it is longer than a file can be; choose at most "
        + FileLimits.MAX_FILE_BYTES
        + " bytes (1048576T)";
  }
}
