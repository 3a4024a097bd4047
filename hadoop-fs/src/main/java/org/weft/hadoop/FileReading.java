package org.weft.hadoop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.Options.HandleOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.impl.AbstractFSBuilderImpl;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.weft.client.Blocking;
import org.weft.client.FoundNode;
import org.weft.client.WeftFileSystem;
import org.weft.client.WeftInput;
import org.weft.client.WeftPath;
import org.weft.hadoop.config.ReadPolicies;
import org.weft.hadoop.config.Settings;
import org.weft.protocol.capability.FileHandle;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** The ways to open a file for reading. */
final class FileReading {
  private final Connection connection;
  private final Settings settings;

  FileReading(Connection connection, Settings settings) {
    this.connection = connection;
    this.settings = settings;
  }

  FSDataInputStream open(WeftPath path, FileSystem.Statistics counters) throws IOException {
    return stream(
        Blocking.await(connection.client().fileSystem().open(path, settings.reading())), counters);
  }

  /** The input is closed if there is no memory for its stream, or the instance was closed. */
  private FSDataInputStream stream(WeftInput input, FileSystem.Statistics counters)
      throws IOException {
    try {
      FSDataInputStream stream =
          new FSDataInputStream(new WeftHadoopInputStream(input, connection, settings, counters));
      connection.requireOpen();
      return stream;
    } catch (IOException | RuntimeException | Error e) {
      input.close();
      throw e;
    }
  }

  /** Lengths are hints, which the stream can do without. */
  static void checkOptions(OpenFileParameters parameters, Path path) {
    if (!parameters.getMandatoryKeys().isEmpty()) {
      AbstractFSBuilderImpl.rejectUnknownMandatoryKeys(
          parameters.getMandatoryKeys(), ReadPolicies.keys(), "for " + path);
    }
  }

  /** What is wrong shows in the future alone. */
  CompletableFuture<FSDataInputStream> openAsynchronously(
      WeftPath path, OpenFileParameters parameters, FileSystem.Statistics counters) {
    CompletableFuture<FSDataInputStream> opened = new CompletableFuture<>();
    try {
      var unused =
          connection
              .client()
              .fileSystem()
              .open(path, ReadPolicies.of(parameters, settings))
              .whenComplete(
                  (input, failure) -> {
                    if (failure == null) {
                      complete(opened, input, counters);
                    } else {
                      fail(opened, path, WeftException.of(failure));
                    }
                  });
    } catch (WeftException e) {
      fail(opened, path, e);
    } catch (IOException | RuntimeException | Error e) {
      opened.completeExceptionally(e);
    }
    return opened;
  }

  private void complete(
      CompletableFuture<FSDataInputStream> opened,
      WeftInput input,
      FileSystem.Statistics counters) {
    try {
      FSDataInputStream stream = stream(input, counters);
      if (!opened.complete(stream)) {
        stream.close();
      }
    } catch (IOException | RuntimeException | Error e) {
      opened.completeExceptionally(e);
    }
  }

  private static void fail(
      CompletableFuture<FSDataInputStream> opened, WeftPath path, WeftException failure) {
    try {
      opened.completeExceptionally(HadoopFailures.ofLookup(failure, path));
    } catch (RuntimeException e) {
      opened.completeExceptionally(e);
    }
  }

  /**
   * A handle for a file as a status of ours describes it.
   *
   * @throws UncheckedIOException if it may move, the status is one of a listing, and the file is
   *     not found any more where it was
   */
  PathHandle handle(FileStatus status, PathNames names, HandleOpt... options) {
    boolean mayMove =
        HandleOpt.getOpt(HandleOpt.Location.class, options)
            .map(HandleOpt.Location::allowChange)
            .orElse(false);
    boolean mayChange =
        HandleOpt.getOpt(HandleOpt.Data.class, options)
            .map(HandleOpt.Data::allowChange)
            .orElse(false);
    if (!(status instanceof WeftFileStatus known) || !status.isFile()) {
      throw new IllegalArgumentException(
          status.getPath() + ": a path handle needs the status of a file, from this file system");
    }
    WeftPath path = names.weftPath(status.getPath());
    try {
      Optional<FileHandle> handle = mayMove ? Optional.of(handle(path, known)) : Optional.empty();
      return WeftPathHandle.of(path, known, handle, mayChange);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Statuses of listings have none. */
  private FileHandle handle(WeftPath path, WeftFileStatus status) throws IOException {
    if (status.handle().isPresent()) {
      return status.handle().get();
    }
    FoundNode found = Blocking.await(connection.client().fileSystem().lookup(path));
    if (found.status().objectId() != status.objectId()) {
      throw new InvalidPathHandleException(path + ": another file has this name now");
    }
    return found
        .handle()
        .orElseThrow(
            () ->
                new UnsupportedOperationException(
                    "the volume's manager is of a release that gives no handles"));
  }

  /**
   * Opens what the handle means.
   *
   * @throws InvalidPathHandleException if that is not there any more, or not as the handle demands
   */
  FSDataInputStream open(PathHandle handle, FileSystem.Statistics counters) throws IOException {
    WeftPathHandle own = WeftPathHandle.of(handle);
    WeftFileSystem files = connection.client().fileSystem();
    WeftInput input;
    try {
      input =
          Blocking.await(
              own.mayMove()
                  ? files.open(own.path(), own.handle().orElseThrow())
                  : files.open(own.path()));
    } catch (WeftException e) {
      // Hadoop's exception for a handle that leads nowhere, for whichever reason.
      if (e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.HANDLE_INVALID) {
        throw new InvalidPathHandleException(e.getMessage(), e);
      }
      throw HadoopFailures.ofLookup(e, own.path());
    }
    try {
      own.check(input.status());
    } catch (InvalidPathHandleException e) {
      input.close();
      throw e;
    }
    return stream(input, counters);
  }
}
