package org.weft.client.fake;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.CloseRequest;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.CreateRequest;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.OpenRequest;
import org.weft.protocol.wire.ReaddirReply;
import org.weft.protocol.wire.ReaddirRequest;
import org.weft.protocol.wire.ReportRequest;

/** Files in one flat directory, with maps and capabilities that fake OSDs accept. */
public final class FakeNamespace implements FakeManager.Files {
  private static final long FIRST_OBJECT = 70_000;
  private static final int READ_RIGHTS = Right.READ.bit() | Right.READ_ATTRIBUTES.bit();
  private static final int WRITE_RIGHTS = READ_RIGHTS | Right.WRITE.bit() | Right.CREATE.bit();

  private final byte[] workingKey;
  private final Layout layout;
  private final Map<String, FileAttributes> files = new TreeMap<>();
  private final List<ReportRequest> reports = new ArrayList<>();
  private final List<CloseRequest> closes = new ArrayList<>();
  private long nextObject = FIRST_OBJECT;
  private long nextGrant = 1;
  private long version;

  public FakeNamespace(byte[] workingKey, Layout layout) {
    this.workingKey = workingKey.clone();
    this.layout = layout;
  }

  /** What clients told of components that failed. */
  public List<ReportRequest> reports() {
    return reports;
  }

  public List<CloseRequest> closes() {
    return closes;
  }

  public FileAttributes file(String name) {
    return files.get(name);
  }

  /** Capabilities of earlier grants are made out for a smaller number than OSDs will take. */
  public void raiseVersion(long grantIndex) {
    version = Lsn.of(1, grantIndex).value();
  }

  /** As an entry only, of no length. */
  public void put(String name) {
    files.put(name, attributes(name));
  }

  @Override
  public MessageLite execute(Opcode opcode, MessageLite request) throws RpcException {
    switch (opcode) {
      case CREATE_FILE:
        return create((CreateRequest) request);
      case OPEN_FILE:
        return open(((OpenRequest) request).getNode().getPath());
      case CLOSE_FILE:
        return close((CloseRequest) request);
      case READDIR:
        return readdir((ReaddirRequest) request);
      case REPORT:
        reports.add((ReportRequest) request);
        return Empty.getDefaultInstance();
      default:
        return AttributesReply.newBuilder()
            .setAttributes(FileAttributes.newBuilder().setKind(FileKind.DIRECTORY))
            .build();
    }
  }

  private FileAttributes attributes(String name) {
    List<OsdId> osds = new ArrayList<>();
    for (int osd = 1; osd <= layout.componentCount(); osd++) {
      osds.add(new OsdId(osd));
    }
    return FileAttributes.newBuilder()
        .setObjectId(nextObject++)
        .setKind(FileKind.FILE)
        .setMode(0644)
        .setOwner("ann")
        .setGroup("staff")
        .setMap(StorageMap.of(layout, osds).toMessage())
        .setParentName(name)
        .build();
  }

  private MessageLite create(CreateRequest request) throws RpcException {
    String name = request.getNode().getPath();
    if (files.containsKey(name) && !request.getOverwrite()) {
      throw new RpcException(ErrorCode.EXISTS, "/" + name + ": exists");
    }
    FileAttributes made = attributes(name);
    files.put(name, made);
    return CreateReply.newBuilder().setAttributes(made).setGrant(grant(made, WRITE_RIGHTS)).build();
  }

  private MessageLite open(String name) throws RpcException {
    FileAttributes found = files.get(name);
    if (found == null) {
      throw new RpcException(ErrorCode.NOT_FOUND, "/" + name + ": no such file");
    }
    return OpenReply.newBuilder().setAttributes(found).setGrant(grant(found, READ_RIGHTS)).build();
  }

  private Grant grant(FileAttributes file, int rights) {
    long number = Math.max(version, Lsn.of(1, nextGrant++).value());
    SignedCapability capability =
        SignedCapability.sign(
            new Capability(
                ObjectName.of(FakeClusterWorld.ROOT_VOLUME, file.getObjectId()),
                rights,
                1,
                number,
                0,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                1,
                1,
                0),
            workingKey);
    return Grant.newBuilder()
        .setNumber(number)
        .setMap(file.getMap())
        .setCapability(capability.encoded())
        .setSecret(ByteString.copyFrom(capability.secret()))
        .setMetaCopies(2)
        .build();
  }

  private MessageLite close(CloseRequest request) {
    closes.add(request);
    FileAttributes closed = FileAttributes.getDefaultInstance();
    for (Map.Entry<String, FileAttributes> entry : files.entrySet()) {
      if (entry.getValue().getObjectId() == request.getObjectId()) {
        closed = entry.getValue().toBuilder().setSize(request.getSize()).build();
        entry.setValue(closed);
      }
    }
    return AttributesReply.newBuilder().setAttributes(closed).build();
  }

  /** Cookies count entries from 1. */
  private MessageLite readdir(ReaddirRequest request) {
    ReaddirReply.Builder reply = ReaddirReply.newBuilder();
    long cookie = 0;
    for (Map.Entry<String, FileAttributes> entry : files.entrySet()) {
      cookie++;
      if (cookie > request.getCookie() && reply.getEntriesCount() < request.getMaxEntries()) {
        reply.addEntries(
            DirectoryEntry.newBuilder()
                .setName(entry.getKey())
                .setObjectId(entry.getValue().getObjectId())
                .setKind(FileKind.FILE)
                .setCookie(cookie)
                .setAttributes(entry.getValue()));
      }
    }
    return reply.setEnd(request.getCookie() + reply.getEntriesCount() >= files.size()).build();
  }
}
