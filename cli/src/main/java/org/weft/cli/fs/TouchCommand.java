package org.weft.cli.fs;

import java.io.IOException;
import java.util.List;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.output.Failures;
import org.weft.cli.output.JsonFields;
import org.weft.client.AttributeChanges;
import org.weft.client.CreateOptions;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets times, and makes empty files. */
@Command(
    name = "touch",
    description = {
      "Sets the times of files; makes empty files.",
      "The time is now, or as asked. Where no file is, an empty one is made."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs touch /data/_SUCCESS",
      "  weft fs touch -c '/data/*'                      no new files",
      "  weft fs touch -d 2026-11-01T12:00 /tmp/a /tmp/b",
      "  weft fs touch -d /tmp/a /tmp/b                  the time of /tmp/a"
    })
@JsonFields(
    shape = "an object for each path",
    value = {"path: absolute", "created: true if it was not there"})
final class TouchCommand extends PathsOperation {
  @Option(
      names = {"-c", "--no-create"},
      description = "Make no files.")
  private boolean noCreate;

  @Option(names = "-a", description = "Only the time of the last access.")
  private boolean access;

  @Option(names = "-m", description = "Only the time of the last change.")
  private boolean modification;

  @Option(
      names = {"-d", "--date"},
      paramLabel = "WHEN",
      description =
          "Not now, but 7d ago, 2026-11-21, 2026-11-21T10:00, or when /PATH was changed last.")
  private String date;

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files and directories.")
  private List<String> arguments;

  @Override
  protected void check() {
    checkPaths(arguments);
    When.check("--date", date);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    RemoteFiles files = session.files();
    long millis = date == null ? System.currentTimeMillis() : When.millis(files, date);
    forEach(files, arguments, failures, path -> touch(files, path, millis));
  }

  private void touch(RemoteFiles files, WeftPath path, long millis) throws IOException {
    boolean absent = files.find(path).isEmpty();
    if (absent && noCreate) {
      return;
    }
    boolean created = absent && create(files, path);
    if (!created || date != null) {
      var unused = files.setAttributes(path, times(millis));
    }
    report(node -> node.put("path", path.toString()).put("created", created));
  }

  /** False if another client made it meanwhile. */
  private static boolean create(RemoteFiles files, WeftPath path) throws IOException {
    try {
      files.create(path, CreateOptions.DEFAULT_MODE, false).close();
      return true;
    } catch (WeftException e) {
      if (e.code() != ErrorCode.EXISTS) {
        throw e;
      }
      return false;
    }
  }

  private AttributeChanges times(long millis) {
    AttributeChanges changes = AttributeChanges.none();
    if (access || !modification) {
      changes = changes.withAtimeMillis(millis);
    }
    return modification || !access ? changes.withMtimeMillis(millis) : changes;
  }
}
