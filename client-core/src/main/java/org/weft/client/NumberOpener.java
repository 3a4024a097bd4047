package org.weft.client;

import java.util.concurrent.CompletableFuture;
import org.weft.client.ids.NodeId;
import org.weft.client.volume.VolumeCalls;
import org.weft.client.volume.VolumeRouter;

/** Opens files by their numbers. */
final class NumberOpener implements NumberedFile.Opener {
  private final VolumeRouter router;
  private final WeftFileSystem files;

  /**
   * @param files whose futures complete on our threads
   */
  NumberOpener(VolumeRouter router, WeftFileSystem files) {
    this.router = router;
    this.files = files;
  }

  /** Its name in messages. */
  private static WeftPath named(NodeId file) {
    return WeftPath.ROOT.child(file.toString());
  }

  @Override
  public CompletableFuture<WeftInput> openForReading(NodeId file) {
    return router.in(
        file.volume().value(),
        calls ->
            opened(calls, file)
                .thenApply(
                    opened ->
                        new WeftInput(
                            opened, () -> opened(calls, file), new Callbacks(Runnable::run))));
  }

  private CompletableFuture<WeftInput.Opened> opened(VolumeCalls calls, NodeId file) {
    return calls
        .numbered()
        .openForReading(file.object())
        .thenApply(answer -> files.opened(named(file), calls, answer, ReadOptions.defaults()));
  }

  @Override
  public CompletableFuture<WeftFile> openForWriting(NodeId file) {
    return open(file, UpdateOptions.alone().withShared(true).withGathering());
  }

  @Override
  public CompletableFuture<WeftFile> openAlone(NodeId file) {
    return open(file, UpdateOptions.alone());
  }

  private CompletableFuture<WeftFile> open(NodeId file, UpdateOptions options) {
    return router.in(
        file.volume().value(),
        calls ->
            calls
                .numbered()
                .openForWriting(file.object(), options.shared())
                .thenCompose(answer -> files.update(named(file), calls, answer, options)));
  }
}
