package org.weft.client.file;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.client.cache.DataCache;
import org.weft.client.cache.GrantedData;
import org.weft.client.cache.ReadCache;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.base.CompletePoint;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripeGrant;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.read.ExpectedPattern;
import org.weft.client.stripe.read.LentBuffer;
import org.weft.client.stripe.read.StripeReader;
import org.weft.client.stripe.read.StripeStream;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.client.stripe.write.StripeWriter;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.InitialAttributes;
import org.weft.protocol.wire.OpenReply;

/**
 * Carries the bytes of files in stripes over the OSDs of their maps, and reports what failed there.
 */
public final class StripedFileData implements FileData {
  private final StripeEngine engine;
  private final VolumeCalls calls;
  private final Optional<DataCache> memory;

  /**
   * @param memory for bytes that are read again; empty: all of them come from OSDs
   */
  public StripedFileData(StripeEngine engine, VolumeCalls calls, Optional<DataCache> memory) {
    this.engine = engine;
    this.calls = calls;
    this.memory = memory;
  }

  @Override
  public FileSink sink(FileAttributes attributes, Grant grant, Regrants regrants) {
    return new Sink(engine.write(terms(attributes.getObjectId(), grant), regrants, this::report));
  }

  @Override
  public CompletableFuture<FileSink> tail(
      FileAttributes attributes, Grant grant, Regrants regrants) {
    return engine
        .append(
            terms(attributes.getObjectId(), grant), attributes.getSize(), regrants, this::report)
        .thenApply(Sink::new);
  }

  @Override
  public StripeUpdater updater(FileAttributes attributes, Grant grant, Regrants regrants) {
    return engine.update(
        terms(attributes.getObjectId(), grant), attributes.getSize(), regrants, this::report);
  }

  @Override
  public CompletableFuture<FileSink> tail(StripeUpdater updater) {
    return updater.appender().thenApply(Sink::new);
  }

  @Override
  public WriteTerms terms(long objectId, Grant grant) {
    return new WriteTerms(
        file(objectId, grant),
        new StripeGrant(
            grant.getNumber(),
            grant.getMetaCopies(),
            initialAttributes(grant),
            grant.getTruncationNumber()));
  }

  @Override
  public FileSource source(
      SessionReply<OpenReply> opened,
      ExpectedPattern pattern,
      long likelyEndBytes,
      boolean verifyParity) {
    FileAttributes attributes = opened.body().getAttributes();
    boolean beingWritten = opened.body().getGrant().getBeingWritten();
    Grant grant = opened.body().getGrant();
    FileSource plain = new Source(reader(attributes, grant, verifyParity), pattern, likelyEndBytes);
    // What parity confirms is read each time; of a file that is written nothing is granted.
    if (memory.isEmpty() || verifyParity || beingWritten) {
      return plain;
    }
    Optional<ReadCache> granted = calls.reading().granted(opened.sessionId());
    return granted.isEmpty()
        ? plain
        : new CachedSource(
            plain,
            new GrantedData(
                granted.get(),
                memory.get(),
                attributes,
                () -> calls.reading().wish(opened.sessionId(), opened.body())));
  }

  private StripeReader reader(FileAttributes attributes, Grant grant, boolean verifyParity) {
    StripedFile file = file(attributes.getObjectId(), grant);
    long size = attributes.getSize();
    boolean beingWritten = grant.getBeingWritten();
    int truncations = attributes.getTruncationNumber();
    return verifyParity
        ? engine.readVerified(file, size, beingWritten, truncations, this::report)
        : engine.read(file, size, beingWritten, truncations, this::report);
  }

  private StripedFile file(long objectId, Grant grant) {
    return new StripedFile(
        ObjectName.of(calls.volumeId(), objectId),
        StorageMap.fromMessage(grant.getMap()),
        new SignedCapability(grant.getCapability(), grant.getSecret().toByteArray()));
  }

  /** The manager signed the page; the first write stores it (P 6.6). */
  private static Optional<InitialAttributes> initialAttributes(Grant grant) {
    if (grant.getInitialAttributes().isEmpty()) {
      return Optional.empty();
    }
    AttributePage page =
        AttributePage.newBuilder()
            .setLsn(grant.getInitialAttributesLsn())
            .setValue(grant.getInitialAttributes())
            .build();
    return Optional.of(
        InitialAttributes.newBuilder()
            .setPage(page)
            .setMac(grant.getInitialAttributesMac())
            .build());
  }

  private void report(ComponentFailure failure) {
    // A hint for the manager: no call waits for it, and it will be told again.
    var unused =
        calls.report(
            failure.file().object().value(),
            failure.osd().value(),
            failure.componentIndex(),
            failure.cause().code(),
            String.valueOf(failure.cause().getMessage()));
  }

  private record Sink(StripeWriter writer) implements FileSink {
    @Override
    public CompletableFuture<Void> write(ByteBuffer data) {
      return writer.write(data);
    }

    @Override
    public CompletableFuture<Written> flush(boolean onStableStorage) {
      CompletePoint before = writer.complete();
      return writer
          .flush(onStableStorage)
          .thenApply(
              file ->
                  new Written(file.sizeBytes(), file.complete(), !file.complete().equals(before)));
    }

    @Override
    public CompletableFuture<Written> finish() {
      return writer.close().thenApply(file -> new Written(file.sizeBytes(), file.complete()));
    }

    @Override
    public void drop() {
      writer.abandon();
    }
  }

  private record Source(StripeReader reader, ExpectedPattern pattern, long likelyEndBytes)
      implements FileSource {
    @Override
    public CompletableFuture<Integer> read(long offsetBytes, LentBuffer target) {
      return reader.read(offsetBytes, target);
    }

    @Override
    public CompletableFuture<Payload> bytes(long offsetBytes, int lengthBytes) {
      return reader.bytes(offsetBytes, lengthBytes);
    }

    @Override
    public Stream stream(long positionBytes) {
      return new Ahead(reader.stream(positionBytes, pattern, likelyEndBytes));
    }
  }

  private record Ahead(StripeStream stream) implements FileSource.Stream {
    @Override
    public void seek(long positionBytes) {
      stream.seek(positionBytes);
    }

    @Override
    public void readAhead(int mostBytes) {
      stream.readAhead(mostBytes);
    }

    @Override
    public CompletableFuture<Integer> read(ByteBuffer target) {
      return stream.read(target);
    }

    @Override
    public int readArrived(byte[] target, int offset, int length) {
      return stream.readArrived(target, offset, length);
    }

    @Override
    public void close() {
      stream.close();
    }
  }
}
