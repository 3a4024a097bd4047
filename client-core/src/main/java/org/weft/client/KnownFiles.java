package org.weft.client;

import java.util.Optional;
import org.weft.client.cache.ReadCache;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.client.volume.VolumeRouter;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.OpenReply;

/**
 * What the client's sessions were granted for reading (P 6.5), asked by a thread that wants to know
 * now: no future is made, and nothing waits. Empty where the manager has to be asked. Thread-safe.
 */
final class KnownFiles {
  private final VolumeRouter router;
  private final Inputs inputs;

  /** Makes an input of what was opened. */
  @FunctionalInterface
  interface Inputs {
    WeftInput of(
        WeftPath path, VolumeCalls calls, SessionReply<OpenReply> opened, ReadOptions options);
  }

  KnownFiles(VolumeRouter router, Inputs inputs) {
    this.router = router;
    this.inputs = inputs;
  }

  /** What was made of the attributes of a node when it was asked for last. */
  private record View(WeftPath path, FileStatus status) {}

  /**
   * What is known of a path, links followed.
   *
   * @throws WeftException NOT_FOUND if nothing is there
   */
  Optional<FileStatus> attributes(WeftPath path) throws WeftException {
    String text = path.toString();
    Optional<ReadCache.Found> found =
        router.known(text).flatMap(calls -> calls.reading().known(text, false));
    if (found.isEmpty()) {
      return Optional.empty();
    }
    ReadCache.Found known = found.get();
    if (!known.exists()) {
      throw new WeftException(ErrorCode.NOT_FOUND, "no such file or directory: " + path);
    }
    if (known.view() instanceof View view && view.path().equals(path)) {
      return Optional.of(view.status());
    }
    FileStatus status = FileStatus.fromMessage(path, known.attributes());
    known.view(new View(path, status));
    return Optional.of(status);
  }

  /** The file, open for reading. */
  Optional<WeftInput> open(WeftPath path, ReadOptions options) {
    String text = path.toString();
    Optional<VolumeCalls> calls = router.known(text);
    return calls
        .flatMap(each -> each.reading().knownOpening(text))
        .map(opened -> inputs.of(path, calls.get(), opened, options));
  }
}
