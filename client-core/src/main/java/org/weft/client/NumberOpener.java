package org.weft.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.weft.client.callback.Callbacks;
import org.weft.client.file.WritableFile;
import org.weft.client.ids.NodeId;
import org.weft.client.number.NumberedFile;
import org.weft.client.number.SharedInput;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.client.volume.VolumeRouter;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.OpenReply;

/** Opens files by their numbers. */
final class NumberOpener implements NumberedFile.Opener {
  private final VolumeRouter router;
  private final FileOpener files;

  /**
   * @param files whose futures complete on our threads
   */
  NumberOpener(VolumeRouter router, FileOpener files) {
    this.router = router;
    this.files = files;
  }

  private record Opened(WeftInput input) implements SharedInput.Input {
    @Override
    public CompletableFuture<Payload> read(long positionBytes, int lengthBytes) {
      if (lengthBytes >= NumberedFile.MIN_POOLED_BYTES) {
        return input.bytes(positionBytes, lengthBytes);
      }
      ByteBuffer target = ByteBuffer.allocate(lengthBytes);
      return input.read(positionBytes, target).thenApply(count -> Payload.of(target.flip()));
    }

    @Override
    public void close() {
      input.close();
    }
  }

  /** Its name in messages. */
  private static WeftPath named(NodeId file) {
    return WeftPath.ROOT.child(file.toString());
  }

  @Override
  public CompletableFuture<SharedInput.Input> openForReading(NodeId file) {
    return router.in(
        file.volume().value(),
        calls ->
            opened(calls, file)
                .thenApply(
                    opened ->
                        new Opened(
                            new WeftInput(
                                opened, () -> opened(calls, file), new Callbacks(Runnable::run)))));
  }

  private CompletableFuture<WeftInput.Opened> opened(VolumeCalls calls, NodeId file) {
    return calls
        .numbered()
        .openForReading(file.object())
        .thenApply(answer -> files.opened(named(file), calls, answer, ReadOptions.defaults()));
  }

  @Override
  public CompletableFuture<WritableFile<?>> openForWriting(NodeId file) {
    return open(file, UpdateOptions.alone().withShared(true).withGathering());
  }

  private CompletableFuture<WritableFile<?>> open(NodeId file, UpdateOptions options) {
    return router.in(
        file.volume().value(),
        calls -> {
          Supplier<CompletableFuture<SessionReply<OpenReply>>> opening =
              () -> calls.numbered().openForWriting(file.object(), options.shared());
          return opening
              .get()
              .thenCompose(
                  answer ->
                      files
                          .writing()
                          .changing(
                              FileStatus.named(named(file)),
                              calls,
                              answer,
                              options.wanted(),
                              opening))
              .thenApply(opened -> opened);
        });
  }
}
