package org.weft.client.volume;

import com.google.protobuf.ByteString;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.CloseRequest;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.CreateRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.LayoutMessage;
import org.weft.protocol.wire.ListDamageReply;
import org.weft.protocol.wire.ListDamageRequest;
import org.weft.protocol.wire.MkdirRequest;
import org.weft.protocol.wire.NodeRef;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.OpenRequest;
import org.weft.protocol.wire.ReaddirReply;
import org.weft.protocol.wire.RenameRequest;
import org.weft.protocol.wire.ReportRequest;
import org.weft.protocol.wire.RmdirRequest;
import org.weft.protocol.wire.SetAttributesOfRequest;
import org.weft.protocol.wire.StatfsReply;
import org.weft.protocol.wire.StatfsRequest;
import org.weft.protocol.wire.UnlinkRequest;

/**
 * The requests of a volume as calls. Paths are absolute in the cluster, normalised, and lie in the
 * volume. Thread-safe; futures complete on the session's home executor and fail with an
 * WeftException that names the path.
 */
public final class VolumeCalls {
  private final VolumeSession session;
  private final ReadCalls reads;

  public VolumeCalls(VolumeSession session) {
    this.session = session;
    this.reads = new ReadCalls(session);
  }

  VolumeSession session() {
    return session;
  }

  /** How a file is to be made; see {@link CreateRequest}. */
  public record Creation(
      int mode,
      int umask,
      boolean overwrite,
      boolean createParents,
      Optional<LayoutMessage> layout) {}

  /** What is to be set; what is empty stays. */
  public record Changes(
      OptionalInt mode,
      Optional<String> owner,
      Optional<String> group,
      OptionalLong mtimeMillis,
      OptionalLong atimeMillis) {}

  public long volumeId() {
    return session.volumeId();
  }

  /** Of the same session: what the holder of a write grant asks for. */
  public GrantCalls grants() {
    return new GrantCalls(session);
  }

  /** Of the same session: quotas. */
  public QuotaCalls quotas() {
    return new QuotaCalls(session);
  }

  /** Of the same session: byte-range locks. */
  public LockCalls locks() {
    return new LockCalls(session);
  }

  /** Of the same session: links, extended attributes and layouts. */
  public NodeCalls nodes() {
    return new NodeCalls(session);
  }

  /** Of the same session: access control lists. */
  public AclCalls acls() {
    return new AclCalls(session);
  }

  /** Of the same session, which is trusted: nodes by their numbers. */
  public NumberCalls numbered() {
    return new NumberCalls(session);
  }

  /** True while the manager is believed to know this session. */
  public boolean isLive(long sessionId) {
    return session.isLive(sessionId);
  }

  /** Of the same session: what it was granted for reading. */
  public ReadCalls reading() {
    return reads;
  }

  public CompletableFuture<FileAttributes> attributes(String path) {
    return reads.attributes(path, false, false).thenApply(AttributesReply::getAttributes);
  }

  public CompletableFuture<FileAttributes> setAttributes(String path, Changes changes) {
    return setAttributes(path, 0, changes);
  }

  /** The same, where so many names at the path's end are no links that are followed. */
  public CompletableFuture<FileAttributes> setAttributes(
      String path, int plainNames, Changes changes) {
    return body(VolumeRequest.once(
                Opcode.SET_ATTRIBUTES_OF,
                path,
                context -> {
                  SetAttributesOfRequest.Builder request =
                      SetAttributesOfRequest.newBuilder()
                          .setContext(context)
                          .setNode(node(path, plainNames));
                  changes.mode().ifPresent(request::setMode);
                  changes.owner().ifPresent(request::setOwner);
                  changes.group().ifPresent(request::setGroup);
                  changes.mtimeMillis().ifPresent(request::setMtimeMillis);
                  changes.atimeMillis().ifPresent(request::setAtimeMillis);
                  return request.build();
                },
                AttributesReply.parser())
            .changing(path))
        .thenApply(AttributesReply::getAttributes);
  }

  /**
   * The answer's session holds the write grant; a grant that comes too late is given back at once.
   */
  public CompletableFuture<SessionReply<CreateReply>> create(String path, Creation creation) {
    return session.call(
        VolumeRequest.once(
                Opcode.CREATE_FILE,
                path,
                context -> {
                  CreateRequest.Builder request =
                      CreateRequest.newBuilder()
                          .setContext(context)
                          .setNode(node(path))
                          .setMode(creation.mode())
                          .setUmask(creation.umask())
                          .setOverwrite(creation.overwrite())
                          .setCreateParents(creation.createParents());
                  creation.layout().ifPresent(request::setLayout);
                  return request.build();
                },
                CreateReply.parser())
            .changing(path)
            .withLate(
                late ->
                    abandon(
                        path,
                        late.sessionId(),
                        late.body().getAttributes(),
                        late.body().getGrant().getNumber())));
  }

  /**
   * Opens for reading. In the answer's session the file is open until {@link #closeReading}, and
   * lives so long even if it loses its name. A file whose opening is answered too late is closed at
   * once.
   */
  public CompletableFuture<SessionReply<OpenReply>> openForReading(String path) {
    return reads.open(path);
  }

  /**
   * As the other one, for a file whose handle is known, whatever its name is by now.
   *
   * @param path for messages
   * @param handle empty if the manager gave none, as those of earlier releases
   */
  public CompletableFuture<SessionReply<OpenReply>> openAgain(
      String path, long objectId, ByteString handle) {
    return reads.open(
        path, NodeRef.newBuilder().setBaseObjectId(objectId).setBaseHandle(handle).build());
  }

  /** One opening for reading is over; never waits, and is without effect in another session. */
  public void closeReading(long sessionId, long objectId) {
    session.fileClosed(sessionId, objectId);
  }

  /**
   * The answer's session holds the write grant; a grant that comes too late is given back at once.
   */
  public CompletableFuture<SessionReply<OpenReply>> openForWriting(String path) {
    return openForWriting(path, false, OptionalInt.empty());
  }

  /**
   * As the other one.
   *
   * @param shared others may write the file too, each in ranges of its own (P 6.5)
   * @param writerPatienceMillis how long to wait for a client that writes it; empty: a lease
   */
  public CompletableFuture<SessionReply<OpenReply>> openForWriting(
      String path, boolean shared, OptionalInt writerPatienceMillis) {
    return openForWriting(
        path,
        OpenRequest.newBuilder().setNode(node(path)).setWrite(true).setShared(shared),
        writerPatienceMillis);
  }

  /**
   * As the other one, for a file that was open for writing and whose grant was given back because
   * others wanted it.
   *
   * @param path for messages
   */
  public CompletableFuture<SessionReply<OpenReply>> returnToWriting(
      String path, long objectId, ByteString handle, boolean shared) {
    return openForWriting(
        path,
        OpenRequest.newBuilder()
            .setNode(NodeRef.newBuilder().setBaseObjectId(objectId).setBaseHandle(handle))
            .setWrite(true)
            .setShared(shared)
            .setReturning(true),
        OptionalInt.empty());
  }

  private CompletableFuture<SessionReply<OpenReply>> openForWriting(
      String path, OpenRequest.Builder opening, OptionalInt writerPatienceMillis) {
    OpenRequest request = opening.build();
    return session.call(
        VolumeRequest.once(
                Opcode.OPEN_FILE,
                path,
                context -> request.toBuilder().setContext(context).build(),
                OpenReply.parser())
            .changing(path)
            .withWriterPatience(writerPatienceMillis)
            .withLate(
                late ->
                    abandon(
                        path,
                        late.sessionId(),
                        late.body().getAttributes(),
                        late.body().getGrant().getNumber())));
  }

  /**
   * Gives a write grant back; only in the session that holds it.
   *
   * @param sizeBytes the file's length
   * @param completeUpTo the last write that is complete on every component
   * @param unwritten nothing was sent to any OSD under the grant
   */
  public CompletableFuture<FileAttributes> close(
      SessionGrant grant, long sizeBytes, long completeUpTo, boolean unwritten) {
    return close(grant, sizeBytes, completeUpTo, unwritten, false, OptionalInt.empty());
  }

  /**
   * As the other one.
   *
   * @param changed bytes within the length were written, too, since it was told last; false: where
   *     the length is the same, no time of the file changes
   * @param cuts how often the file had been cut when it had that length; empty: not said
   */
  public CompletableFuture<FileAttributes> close(
      SessionGrant grant,
      long sizeBytes,
      long completeUpTo,
      boolean unwritten,
      boolean changed,
      OptionalInt cuts) {
    CloseRequest.Builder request =
        CloseRequest.newBuilder()
            .setSize(sizeBytes)
            .setCompleteUpTo(completeUpTo)
            .setUnwritten(unwritten)
            .setChanged(changed);
    cuts.ifPresent(request::setTruncationNumber);
    return giveBack(grant, request);
  }

  /**
   * Gives back the grant of a new file that nothing was sent for, together with others (P 6.6), or
   * alone if that cannot be.
   */
  public CompletableFuture<Void> closeUnwritten(SessionGrant grant) {
    return session
        .closeUnwritten(grant)
        .thenRun(() -> settled(grant))
        .exceptionallyCompose(thrown -> close(grant, 0, 0, true).thenAccept(attributes -> {}));
  }

  /** Gives a write grant back; what was written is not believed before it was resolved. */
  public CompletableFuture<FileAttributes> abandon(SessionGrant grant) {
    return giveBack(grant, CloseRequest.newBuilder().setAbandoned(true));
  }

  private CompletableFuture<FileAttributes> giveBack(SessionGrant grant, CloseRequest.Builder how) {
    CloseRequest request = how.setObjectId(grant.objectId()).setGrant(grant.number()).build();
    return body(VolumeRequest.repeatable(
                Opcode.CLOSE_FILE,
                grant.path(),
                context -> request.toBuilder().setContext(context).build(),
                AttributesReply.parser())
            .inSession(grant.sessionId()))
        .thenApply(
            reply -> {
              settled(grant);
              return reply.getAttributes();
            });
  }

  private void settled(SessionGrant grant) {
    session.lengths(grant.sessionId()).settled(grant.objectId(), grant.number());
  }

  private void abandon(String path, long sessionId, FileAttributes attributes, long grant) {
    // No caller waits; if this fails too, the session's end does the same.
    var unused = abandon(new SessionGrant(path, sessionId, attributes.getObjectId(), grant));
  }

  public CompletableFuture<FileAttributes> mkdir(
      String path, int mode, int umask, boolean createParents) {
    return body(VolumeRequest.once(
                Opcode.MKDIR,
                path,
                context ->
                    MkdirRequest.newBuilder()
                        .setContext(context)
                        .setNode(node(path))
                        .setMode(mode)
                        .setUmask(umask)
                        .setCreateParents(createParents)
                        .build(),
                AttributesReply.parser())
            .changing(path))
        .thenApply(AttributesReply::getAttributes);
  }

  /**
   * One page of a directory.
   *
   * @param cookie 0 for the first page, else that of the last entry seen
   */
  public CompletableFuture<ReaddirReply> readdir(
      String path, long cookie, int maxEntries, boolean withAttributes) {
    return readdir(path, 0, cookie, maxEntries, withAttributes);
  }

  /**
   * The same.
   *
   * @param plainNames so many names at the path's end are no links that are followed
   * @param cookie 0 for the first page, else that of the last entry seen
   */
  public CompletableFuture<ReaddirReply> readdir(
      String path, int plainNames, long cookie, int maxEntries, boolean withAttributes) {
    return reads.page(path, plainNames, cookie, maxEntries, withAttributes);
  }

  public CompletableFuture<Void> rename(String source, String target, boolean replace) {
    return done(
        VolumeRequest.once(
                Opcode.RENAME,
                source + " -> " + target,
                context ->
                    RenameRequest.newBuilder()
                        .setContext(context)
                        .setSource(node(source))
                        .setTarget(node(target))
                        .setReplace(replace)
                        .build(),
                Empty.parser())
            .changing(source, target));
  }

  public CompletableFuture<Void> unlink(String path) {
    return unlink(path, 0);
  }

  /** The same, where so many names at the path's end are no links that are followed. */
  public CompletableFuture<Void> unlink(String path, int plainNames) {
    return done(
        VolumeRequest.once(
                Opcode.UNLINK,
                path,
                context ->
                    UnlinkRequest.newBuilder()
                        .setContext(context)
                        .setNode(node(path, plainNames))
                        .build(),
                Empty.parser())
            .changing(path));
  }

  public CompletableFuture<Void> rmdir(String path) {
    return rmdir(path, 0);
  }

  /** The same, where so many names at the path's end are no links that are followed. */
  public CompletableFuture<Void> rmdir(String path, int plainNames) {
    return done(
        VolumeRequest.once(
                Opcode.RMDIR,
                path,
                context ->
                    RmdirRequest.newBuilder()
                        .setContext(context)
                        .setNode(node(path, plainNames))
                        .build(),
                Empty.parser())
            .changing(path));
  }

  public CompletableFuture<StatfsReply> statfs() {
    return body(
        VolumeRequest.repeatable(
            Opcode.STATFS,
            session.mount().path(),
            context -> StatfsRequest.newBuilder().setContext(context).build(),
            StatfsReply.parser()));
  }

  /** Where the volume stands in the cluster. */
  public String mountPath() {
    return session.mount().path();
  }

  /**
   * Files of the volume that have lost bytes, in the order of objects.
   *
   * @param after behind this object
   * @param max at most so many
   */
  public CompletableFuture<ListDamageReply> listDamage(long after, int max) {
    return body(
        VolumeRequest.repeatable(
            Opcode.LIST_DAMAGE,
            session.mount().path(),
            context ->
                ListDamageRequest.newBuilder()
                    .setContext(context)
                    .setAfterObjectId(after)
                    .setMax(max)
                    .build(),
            ListDamageReply.parser()));
  }

  /** Checks of the whole volume. */
  public CheckCalls checks() {
    return new CheckCalls(session);
  }

  /** Tells the manager that a component failed. */
  public CompletableFuture<Void> report(
      long objectId, int osd, int componentIndex, ErrorCode error, String message) {
    return done(
        VolumeRequest.repeatable(
            Opcode.REPORT,
            "",
            context ->
                ReportRequest.newBuilder()
                    .setContext(context)
                    .setObjectId(objectId)
                    .setOsd(osd)
                    .setComponentIndex(componentIndex)
                    .setError(error.number())
                    .setMessage(message)
                    .build(),
            Empty.parser()));
  }

  private <T> CompletableFuture<T> body(VolumeRequest<T> request) {
    return session.call(request).thenApply(SessionReply::body);
  }

  private CompletableFuture<Void> done(VolumeRequest<Empty> request) {
    return session.call(request).thenApply(answer -> null);
  }

  private NodeRef node(String path) {
    return session.mount().node(path);
  }

  private NodeRef node(String path, int plainNames) {
    return node(path).toBuilder().setPlainNames(plainNames).build();
  }
}
