package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.attributes.SetAttributes;
import org.weft.metadata.volume.operation.attributes.SetLayout;
import org.weft.metadata.volume.operation.attributes.SetXattr;
import org.weft.metadata.volume.operation.grant.AcquireRange;
import org.weft.metadata.volume.operation.grant.CloseFile;
import org.weft.metadata.volume.operation.grant.OpenFile;
import org.weft.metadata.volume.operation.grant.RecoverLease;
import org.weft.metadata.volume.operation.grant.Regrant;
import org.weft.metadata.volume.operation.grant.ReleaseRange;
import org.weft.metadata.volume.operation.length.FinishTrim;
import org.weft.metadata.volume.operation.length.PublishLength;
import org.weft.metadata.volume.operation.length.SetLength;
import org.weft.metadata.volume.operation.lock.ListLocks;
import org.weft.metadata.volume.operation.lock.LockRange;
import org.weft.metadata.volume.operation.lock.UnlockRange;
import org.weft.metadata.volume.operation.name.CreateFile;
import org.weft.metadata.volume.operation.name.LinkFile;
import org.weft.metadata.volume.operation.name.MakeDirectory;
import org.weft.metadata.volume.operation.name.MakeSymlink;
import org.weft.metadata.volume.operation.name.ReadDirectory;
import org.weft.metadata.volume.operation.name.RemoveDirectory;
import org.weft.metadata.volume.operation.name.Rename;
import org.weft.metadata.volume.operation.name.Unlink;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.metadata.volume.operation.volume.StatFs;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.capability.FileHandle;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.wire.AcquireRangeReply;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.LayoutMessage;
import org.weft.protocol.wire.ListLocksReply;
import org.weft.protocol.wire.LockRangeReply;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.ReaddirReply;
import org.weft.protocol.wire.RecoverLeaseReply;
import org.weft.protocol.wire.RegrantReply;
import org.weft.protocol.wire.StatfsReply;
import org.weft.protocol.wire.UnlockRangeReply;
import org.weft.protocol.wire.XattrMode;

/** A session with a {@link TestVolume}, and the requests in it as calls. */
final class TestClient {
  private final TestVolume volume;
  private final SessionId session;
  private final int slot;
  private long sequence;
  private Caller last;
  private Operation lastOperation;

  TestClient(TestVolume volume, long session) {
    this(volume, new SessionId(session), 0);
  }

  private TestClient(TestVolume volume, SessionId session, int slot) {
    this.volume = volume;
    this.session = session;
    this.slot = slot;
  }

  /** The same session, by another reply slot. */
  TestClient inSlot(int other) {
    return new TestClient(volume, session, other);
  }

  /** The same session with the volume's next manager. */
  TestClient with(TestVolume next) {
    TestClient client = new TestClient(next, session, slot);
    client.sequence = sequence;
    client.last = last;
    client.lastOperation = lastOperation;
    return client;
  }

  SessionId session() {
    return session;
  }

  Outcome.Done execute(Operation operation) throws WeftException {
    last = new Caller(session, slot, ++sequence);
    lastOperation = operation;
    return volume.execute(last, operation);
  }

  /** The same for another user than the session's. */
  Outcome.Done execute(Credentials behalf, Operation operation) throws WeftException {
    last = new Caller(session, slot, ++sequence, Optional.of(behalf));
    lastOperation = operation;
    return volume.execute(last, operation);
  }

  /** What comes of a new request at its first execution. */
  Outcome attempt(Operation operation) {
    last = new Caller(session, slot, ++sequence);
    lastOperation = operation;
    return again();
  }

  /** The same for another user than the session's. */
  Outcome attempt(Credentials behalf, Operation operation) {
    last = new Caller(session, slot, ++sequence, Optional.of(behalf));
    lastOperation = operation;
    return again();
  }

  /** What comes of the last request, which has waited, when it is executed again. */
  Outcome again() {
    return volume.attempt(last, lastOperation);
  }

  /** The last request again, with the same number in the same slot. */
  Outcome.Done retry() throws WeftException {
    return volume.execute(last, lastOperation);
  }

  Operation lastOperation() {
    return lastOperation;
  }

  Caller last() {
    return last;
  }

  LockRangeReply lock(LockRange request) throws WeftException {
    return parse(LockRangeReply.parser(), execute(request));
  }

  /** False if not all of the range was locked. */
  boolean unlock(UnlockRange request) throws WeftException {
    return parse(UnlockRangeReply.parser(), execute(request)).getHeldAll();
  }

  ListLocksReply locks(ListLocks request) throws WeftException {
    return parse(ListLocksReply.parser(), execute(request));
  }

  FileAttributes attributes(String path) throws WeftException {
    return attributes(execute(new GetAttributes(path(path))));
  }

  /** Of a symbolic link itself, with all extended attributes. */
  FileAttributes linkAttributes(String path) throws WeftException {
    return attributes(execute(new GetAttributes(path(path), true, true)));
  }

  /** The extended attributes that this user sees, as "name=value". */
  List<String> xattrs(String path) throws WeftException {
    return attributes(execute(new GetAttributes(path(path), false, true))).getXattrList().stream()
        .map(xattr -> xattr.getName() + "=" + xattr.getValue().toStringUtf8())
        .toList();
  }

  void setXattr(String path, String name, String value) throws WeftException {
    setXattr(path, name, ByteString.copyFromUtf8(value), XattrMode.CREATE_OR_REPLACE);
  }

  void setXattr(String path, String name, ByteString value, XattrMode mode) throws WeftException {
    execute(new SetXattr(path(path), name, value, mode, false));
  }

  void removeXattr(String path, String name) throws WeftException {
    execute(new SetXattr(path(path), name, ByteString.EMPTY, XattrMode.CREATE_OR_REPLACE, true));
  }

  FileAttributes symlink(String target, String path) throws WeftException {
    return attributes(execute(new MakeSymlink(path(path), target)));
  }

  FileAttributes link(String existing, String path) throws WeftException {
    return attributes(execute(new LinkFile(path(existing), path(path))));
  }

  FileAttributes layout(String path, LayoutMessage.Builder layout) throws WeftException {
    return attributes(
        execute(
            new SetLayout(
                path(path), Optional.ofNullable(layout).map(LayoutMessage.Builder::build))));
  }

  /** A file by its id, as a client opens it again that has it open. */
  OpenReply openAgain(long objectId) throws WeftException {
    return parse(OpenReply.parser(), execute(new OpenFile(byId(objectId), false)));
  }

  NodePath byId(long objectId) {
    return below(objectId, List.of());
  }

  /** Names below a node that was reached by a path before. */
  NodePath below(long objectId, List<String> names) {
    return new NodePath(Optional.of(volume.handle(objectId)), names);
  }

  /** The renewal that says that what was opened so is closed. */
  RenewSession closing(OpenReply opened) {
    return new RenewSession(
        session,
        List.of(
            new RenewSession.Closing(
                new ObjectId(opened.getAttributes().getObjectId()),
                new Lsn(opened.getOpenNumber()))),
        RenewSession.Reclaim.NONE);
  }

  /** The renewal that tells a manager that has started anew all that is open. */
  RenewSession reclaiming(long epoch, long... objectIds) {
    List<FileHandle> open = LongStream.of(objectIds).mapToObj(volume::handle).toList();
    return new RenewSession(session, List.of(), new RenewSession.Reclaim(epoch, true, open));
  }

  /** The renewal that tells a manager that has started anew what was published of a file. */
  RenewSession reclaimingPublished(long epoch, ObjectId object, long... published) {
    return reclaimingPublished(
        epoch,
        LongStream.of(published)
            .mapToObj(size -> new RenewSession.PublishedLength(object, size, OptionalInt.empty()))
            .toList());
  }

  /** The same of a client that says of which cut each length is. */
  RenewSession reclaimingPublished(long epoch, List<RenewSession.PublishedLength> lengths) {
    return new RenewSession(
        session, List.of(), new RenewSession.Reclaim(epoch, true, List.of(), lengths));
  }

  FileAttributes mkdir(String path) throws WeftException {
    return mkdir(path, 0777, 022, false);
  }

  FileAttributes mkdir(String path, int mode, int umask, boolean parents) throws WeftException {
    return attributes(execute(new MakeDirectory(path(path), mode, umask, parents)));
  }

  CreateReply create(String path) throws WeftException {
    return create(path, 0666, 022, false, false);
  }

  CreateReply create(String path, int mode, int umask, boolean overwrite, boolean parents)
      throws WeftException {
    return parse(
        CreateReply.parser(),
        execute(new CreateFile(path(path), mode, umask, overwrite, parents, Optional.empty())));
  }

  /** A closed file of that length. */
  FileAttributes write(String path, long sizeBytes) throws WeftException {
    return close(create(path), sizeBytes);
  }

  FileAttributes close(CreateReply created, long sizeBytes) throws WeftException {
    return attributes(execute(closing(created, sizeBytes, false)));
  }

  void abandon(CreateReply created) throws WeftException {
    execute(closing(created, 0, true));
  }

  static CloseFile closing(CreateReply created, long sizeBytes, boolean abandoned) {
    return new CloseFile(
        new ObjectId(created.getAttributes().getObjectId()),
        new Lsn(created.getGrant().getNumber()),
        sizeBytes,
        sizeBytes,
        abandoned,
        false);
  }

  OpenReply open(String path) throws WeftException {
    return parse(OpenReply.parser(), execute(new OpenFile(path(path), false)));
  }

  /** A write grant, however it came about. */
  record Held(ObjectId object, Lsn number) {
    static Held of(CreateReply created) {
      return of(created.getAttributes(), created.getGrant());
    }

    static Held of(OpenReply opened) {
      return of(opened.getAttributes(), opened.getGrant());
    }

    static Held of(RegrantReply regranted) {
      return of(regranted.getAttributes(), regranted.getGrant());
    }

    private static Held of(FileAttributes file, Grant grant) {
      return new Held(new ObjectId(file.getObjectId()), new Lsn(grant.getNumber()));
    }
  }

  OpenReply update(String path) throws WeftException {
    return parse(OpenReply.parser(), execute(new OpenFile(path(path), true)));
  }

  /** Opens for writing beside others. */
  OpenReply share(String path) throws WeftException {
    return parse(OpenReply.parser(), execute(new OpenFile(path(path), true, true)));
  }

  ByteRange acquire(Held held, ByteRange range) throws WeftException {
    return acquire(held, range, RangeUse.WRITING);
  }

  ByteRange acquire(Held held, ByteRange range, RangeUse use) throws WeftException {
    AcquireRangeReply reply = acquired(held, range, use);
    assertEquals(use.toMessage(), reply.getUse());
    return ByteRange.fromMessage(reply.getFrom(), reply.getTo());
  }

  AcquireRangeReply acquired(Held held, ByteRange range) throws WeftException {
    return acquired(held, range, RangeUse.WRITING);
  }

  AcquireRangeReply acquired(Held held, ByteRange range, RangeUse use) throws WeftException {
    return parse(
        AcquireRangeReply.parser(),
        execute(new AcquireRange(held.object(), held.number(), range, use)));
  }

  /** Cuts a file that is open shared; gives the grant that takes the place of this one. */
  Held cut(Held held, long sizeBytes) throws WeftException {
    AttributesReply reply =
        parse(
            AttributesReply.parser(),
            execute(
                new SetLength(held.object(), held.number(), sizeBytes, 1, OptionalLong.empty())));
    return new Held(held.object(), new Lsn(reply.getGrant().getNumber()));
  }

  FileAttributes release(Held held, ByteRange range, long sizeBytes) throws WeftException {
    return attributes(execute(new ReleaseRange(held.object(), held.number(), range, sizeBytes, 1)));
  }

  FileAttributes publish(Held held, long sizeBytes) throws WeftException {
    return attributes(
        execute(new PublishLength(held.object(), held.number(), sizeBytes, 1, false)));
  }

  FileAttributes setLength(Held held, long sizeBytes) throws WeftException {
    return attributes(
        execute(new SetLength(held.object(), held.number(), sizeBytes, 1, OptionalLong.empty())));
  }

  FileAttributes trimmed(Held held, int truncation) throws WeftException {
    return attributes(execute(new FinishTrim(held.object(), held.number(), truncation, 2)));
  }

  FileAttributes close(Held held, long sizeBytes, long completeUpTo) throws WeftException {
    return attributes(
        execute(
            new CloseFile(held.object(), held.number(), sizeBytes, completeUpTo, false, false)));
  }

  void abandon(Held held) throws WeftException {
    execute(new CloseFile(held.object(), held.number(), 0, 0, true, false));
  }

  RegrantReply regrant(Held held, Regrant.Lost... lost) throws WeftException {
    return parse(
        RegrantReply.parser(),
        execute(new Regrant(held.object(), held.number(), List.of(lost), 3, OptionalLong.empty())));
  }

  RecoverLeaseReply recoverLease(String path) throws WeftException {
    return parse(RecoverLeaseReply.parser(), execute(new RecoverLease(path(path))));
  }

  void rename(String source, String target) throws WeftException {
    execute(new Rename(path(source), path(target), true));
  }

  void unlink(String path) throws WeftException {
    execute(new Unlink(path(path)));
  }

  void rmdir(String path) throws WeftException {
    execute(new RemoveDirectory(path(path)));
  }

  FileAttributes chmod(String path, int mode) throws WeftException {
    return attributes(
        execute(
            new SetAttributes(
                path(path),
                OptionalInt.of(mode),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                OptionalLong.empty())));
  }

  FileAttributes chown(String path, String owner, String group) throws WeftException {
    return attributes(
        execute(
            new SetAttributes(
                path(path),
                OptionalInt.empty(),
                Optional.ofNullable(owner),
                Optional.ofNullable(group),
                OptionalLong.empty(),
                OptionalLong.empty())));
  }

  StatfsReply statfs() throws WeftException {
    return parse(StatfsReply.parser(), execute(new StatFs()));
  }

  /** Every entry with its attributes, read in pages of that size. */
  List<DirectoryEntry> list(String path, int pageEntries) throws WeftException {
    List<DirectoryEntry> all = new ArrayList<>();
    long cookie = 0;
    while (true) {
      ReaddirReply page =
          parse(
              ReaddirReply.parser(),
              execute(new ReadDirectory(path(path), cookie, pageEntries, true)));
      all.addAll(page.getEntriesList());
      if (page.getEnd()) {
        return all;
      }
      cookie = all.get(all.size() - 1).getCookie();
    }
  }

  List<String> names(String path) throws WeftException {
    return list(path, 100).stream().map(DirectoryEntry::getName).sorted().toList();
  }

  /** "/a/b" as a path from the root; "/" is the root itself. */
  static NodePath path(String text) {
    String names = text.substring(1);
    return new NodePath(names.isEmpty() ? List.of() : Arrays.asList(names.split("/")));
  }

  static FileAttributes attributes(Outcome.Done done) {
    return parse(AttributesReply.parser(), done).getAttributes();
  }

  static <T extends MessageLite> T parse(Parser<T> parser, Outcome.Done done) {
    try {
      ByteString bytes = done.reply().toByteString();
      return parser.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }
}
