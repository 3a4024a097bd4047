package org.weft.cli.fs;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Progress;
import org.weft.client.CreateOptions;
import org.weft.client.FileStatus;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Copies files and trees of this machine into the cluster. */
@Command(
    name = "put",
    description =
        "Copies files and directory trees into the cluster: into DEST if that is a directory, else"
            + " under that name. A file that stands there is replaced, at once and as a whole, when the"
            + " copy is complete.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs put report.pdf /tmp/          as /tmp/report.pdf",
      "  weft fs put report.pdf /tmp/r.pdf     under another name",
      "  weft fs put photos /tmp               a tree, as /tmp/photos",
      "  tar c src | weft fs put - /tmp/s.tar  from standard input"
    })
final class PutCommand extends TransferCommand {
  private static final String STANDARD_INPUT = "-";

  @Option(
      names = {"-n", "--no-clobber"},
      description = "Fail where a file stands at the target already.")
  private boolean noClobber;

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
  void check() {
    super.check();
    if (arguments.size() < 2) {
      throw wrong("say what to copy, and where to in the cluster: weft fs put FILE /tmp/");
    }
    path(arguments.get(arguments.size() - 1));
  }

  @Override
  void run(FsConnector.Session session, Failures failures) throws IOException {
    List<String> sources = arguments.subList(0, arguments.size() - 1);
    String destinationText = arguments.get(arguments.size() - 1);
    WeftPath destination = path(destinationText);
    Optional<FileStatus> found = session.files().find(destination);
    boolean into = found.isPresent() && found.get().isDirectory();
    if (!into && (sources.size() > 1 || destinationText.endsWith("/"))) {
      throw found.isPresent()
          ? new RpcException(ErrorCode.NOT_DIRECTORY, destination + ": is a file; name a directory")
          : new RpcException(
              ErrorCode.NOT_FOUND,
              destination
                  + ": no such directory; `weft fs mkdir -p "
                  + destination
                  + "` makes one");
    }
    if (into && sources.contains(STANDARD_INPUT)) {
      throw new RpcException(
          ErrorCode.IS_DIRECTORY, destination + ": is a directory; name a file for standard input");
    }
    String label = "put " + (sources.size() == 1 ? sources.get(0) : sources.size() + " sources");
    try (Progress progress = progress(session.ticker(), failures, label);
        Cleanup cleanup = new Cleanup();
        WorkPool pool = new WorkPool(session.scheduler(), threads(), failures)) {
      Copying copying = new Copying(session.files(), progress, cleanup, noClobber);
      expect(sources, progress);
      for (String source : sources) {
        if (!failures.stop()) {
          put(new Target(session.files(), copying, pool, failures), source, destination, into);
        }
      }
      pool.await();
      summarize(progress, failures, label);
    }
  }

  /** Where to, and who does it. */
  private record Target(RemoteFiles files, Copying copying, WorkPool pool, Failures failures) {}

  private void put(Target target, String source, WeftPath destination, boolean into) {
    try {
      if (source.equals(STANDARD_INPUT)) {
        target.copying.in(
            new BufferedInputStream(console().in()), destination, CreateOptions.DEFAULT_MODE);
        return;
      }
      Path local = Path.of(source);
      if (!Files.exists(local)) {
        throw new NoSuchFileException(source);
      }
      WeftPath to = into ? destination.child(nameOf(local)) : destination;
      if (Files.isDirectory(local)) {
        putTree(target, local, to);
      } else {
        putFile(target, local, to);
      }
    } catch (IOException | IllegalArgumentException e) {
      target.failures.add(e);
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

  private static void putFile(Target target, Path local, WeftPath to) throws IOException {
    target.pool.submit(
        () -> {
          int mode = Copying.modeOf(local, CreateOptions.DEFAULT_MODE);
          try (InputStream input = Files.newInputStream(local)) {
            target.copying.in(input, to, mode);
          }
        });
  }

  private static void putTree(Target target, Path root, WeftPath to) throws IOException {
    Files.walkFileTree(
        root,
        EnumSet.of(FileVisitOption.FOLLOW_LINKS),
        Integer.MAX_VALUE,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path local, BasicFileAttributes attributes) {
            return visit(
                local,
                there -> {
                  // Whoever owns it must be able to fill it, whatever its mode here.
                  int mode = Copying.modeOf(local, WeftFiles.DIRECTORY_MODE) | 0300;
                  makeDirectory(target.files, there, mode);
                },
                FileVisitResult.SKIP_SUBTREE);
          }

          @Override
          public FileVisitResult visitFile(Path local, BasicFileAttributes attributes) {
            if (!attributes.isRegularFile()) {
              target.failures.add(local + ": skipped: neither a file nor a directory");
              return FileVisitResult.CONTINUE;
            }
            return visit(local, there -> putFile(target, local, there), FileVisitResult.CONTINUE);
          }

          @Override
          public FileVisitResult visitFileFailed(Path local, IOException failure) {
            target.failures.add(failure);
            return FileVisitResult.CONTINUE;
          }

          private FileVisitResult visit(Path local, Step step, FileVisitResult afterFailure) {
            if (target.failures.stop()) {
              return FileVisitResult.TERMINATE;
            }
            try {
              step.on(remote(local));
              return FileVisitResult.CONTINUE;
            } catch (IOException | IllegalArgumentException e) {
              target.failures.add(e);
              return afterFailure;
            }
          }

          private WeftPath remote(Path local) {
            WeftPath there = to;
            for (Path name : root.relativize(local)) {
              if (!name.toString().isEmpty()) {
                there = there.child(name.toString());
              }
            }
            return there;
          }
        });
  }

  /** Something to do with the remote counterpart of a local file. */
  @FunctionalInterface
  private interface Step {
    void on(WeftPath remote) throws IOException;
  }

  private static void makeDirectory(RemoteFiles files, WeftPath path, int mode) throws IOException {
    try {
      files.mkdir(path, mode, false);
    } catch (RpcException e) {
      Optional<FileStatus> there =
          e.code() == ErrorCode.EXISTS ? files.find(path) : Optional.empty();
      if (there.isEmpty() || !there.get().isDirectory()) {
        throw e;
      }
    }
  }

  /** Counts first, so that there is something to measure progress by. */
  private static void expect(List<String> sources, Progress progress) {
    long[] totals = new long[2];
    for (String source : sources) {
      if (source.equals(STANDARD_INPUT)) {
        progress.expect(-1, -1);
        return;
      }
      try {
        Files.walkFileTree(
            Path.of(source),
            EnumSet.of(FileVisitOption.FOLLOW_LINKS),
            Integer.MAX_VALUE,
            new SimpleFileVisitor<>() {
              @Override
              public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                totals[0] += attributes.size();
                totals[1]++;
                return FileVisitResult.CONTINUE;
              }

              @Override
              public FileVisitResult visitFileFailed(Path file, IOException failure) {
                return FileVisitResult.CONTINUE;
              }
            });
      } catch (IOException | IllegalArgumentException e) {
        // The copy itself will meet the same and say so.
        progress.expect(-1, -1);
        return;
      }
    }
    progress.expect(totals[0], totals[1]);
  }
}
