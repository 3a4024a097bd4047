package org.weft.cli.transfer;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import org.weft.cli.files.FilesSession;
import org.weft.cli.output.Failures;
import org.weft.cli.output.JsonFields;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Copies files and trees of this machine into the cluster. */
@Command(
    name = "put",
    description = {
      "Copies files and directory trees into the cluster.",
      "They go into DEST if that is a directory, else under that name. A file that stands there is"
          + " replaced, at once and as a whole, when the copy is complete. Symbolic links that are named"
          + " are followed, those in trees are copied as links."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs put report.pdf /tmp/          as /tmp/report.pdf",
      "  weft fs put report.pdf /tmp/r.pdf     under another name",
      "  weft fs put photos /tmp               a tree, as /tmp/photos",
      "  weft fs put -p -u -j 16 photos /tmp   with times; what is there already stays",
      "  tar c src | weft fs put - /tmp/s.tar  from standard input"
    })
@JsonFields(
    shape = "one object",
    value = {
      "files: files and links copied",
      "bytes: moved",
      "skipped: there already (-u)",
      "seconds: how long it took",
      "errors: how many failures",
      "failed: true if there were any"
    })
public final class PutCommand extends TransferCommand {
  private static final String STANDARD_INPUT = "-";

  @Option(
      names = {"-L", "--dereference"},
      description = "Follow symbolic links in trees too.")
  private boolean follow;

  @SuppressWarnings("UnusedVariable") // For habit's sake.
  @Option(names = "-f", hidden = true, description = "As in HDFS: replacing is the default here.")
  private boolean force;

  @Parameters(
      arity = "1..*",
      paramLabel = "LOCAL... DEST",
      hideParamSyntax = true,
      description = "What to copy, `-` for standard input; then where to.")
  private List<String> arguments;

  @Override
  protected void check() {
    super.check();
    if (arguments.size() < 2) {
      throw wrong("say what to copy, and where to in the cluster: weft fs put FILE /tmp/");
    }
    path(destination());
  }

  private List<String> sources() {
    return arguments.subList(0, arguments.size() - 1);
  }

  private String destination() {
    return arguments.get(arguments.size() - 1);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    List<String> sources = sources();
    boolean into = isDirectory(session);
    String label = "put " + (sources.size() == 1 ? sources.get(0) : sources.size() + " sources");
    transfer(
        session,
        failures,
        label,
        options(false),
        this::count,
        transfer -> {
          for (String source : sources) {
            if (!failures.stop()) {
              put(transfer, source, into);
            }
          }
        });
  }

  /** Whether sources keep their names below the destination. */
  private boolean isDirectory(FilesSession session) throws IOException {
    WeftPath destination = path(destination());
    Optional<FileStatus> found = session.files().find(destination);
    boolean into = found.isPresent() && found.get().isDirectory();
    if (!into && (sources().size() > 1 || destination().endsWith("/"))) {
      throw found.isPresent()
          ? new WeftException(
              ErrorCode.NOT_DIRECTORY, destination + ": is a file; name a directory")
          : new WeftException(
              ErrorCode.NOT_FOUND,
              destination
                  + ": no such directory; `weft fs mkdir -p "
                  + destination
                  + "` makes one");
    }
    if (into && sources().contains(STANDARD_INPUT)) {
      throw new WeftException(
          ErrorCode.IS_DIRECTORY, destination + ": is a directory; name a file for standard input");
    }
    return into;
  }

  private void put(Transfer transfer, String source, boolean into) {
    CopyIn copy = new CopyIn(transfer);
    WeftPath destination = path(destination());
    try {
      if (source.equals(STANDARD_INPUT)) {
        copy.stream(new BufferedInputStream(console().in()), destination);
        return;
      }
      Path local = Path.of(source);
      if (!Files.exists(local)) {
        throw new NoSuchFileException(source);
      }
      WeftPath to = into ? destination.child(nameOf(local)) : destination;
      if (Files.isDirectory(local)) {
        new LocalTree(transfer, copy, follow).put(local, to);
      } else {
        transfer.pool().submit(() -> copy.file(local, to));
      }
    } catch (IOException | IllegalArgumentException e) {
      transfer.failures().add(e);
    }
  }

  /** As it was given: a symbolic link keeps its own name. */
  private static String nameOf(Path local) {
    Path name = local.toAbsolutePath().normalize().getFileName();
    if (name == null) {
      throw new IllegalArgumentException(
          local + ": has no name; name a target that does not exist yet");
    }
    return name.toString();
  }

  private void count(LookAhead ahead) throws IOException {
    if (sources().contains(STANDARD_INPUT)) {
      throw new IOException("it is not known how much will come");
    }
    for (String source : sources()) {
      var unused =
          Files.walkFileTree(
              Path.of(source).toRealPath(),
              LocalTree.visitOptions(follow),
              Integer.MAX_VALUE,
              new Counter(ahead));
    }
  }

  private static final class Counter extends SimpleFileVisitor<Path> {
    private final LookAhead ahead;

    private Counter(LookAhead ahead) {
      this.ahead = ahead;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      ahead.file(attributes.isRegularFile() ? attributes.size() : 0);
      return ahead.unwanted() ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) {
      return FileVisitResult.CONTINUE;
    }
  }
}
