package org.weft.it.attack;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.List;
import org.weft.it.attack.AttackedManager.Wire;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AcquireRangeReply;
import org.weft.protocol.wire.AcquireRangeRequest;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.CloseSessionRequest;
import org.weft.protocol.wire.CloseUnwrittenRequest;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.CreateRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.GetAttributesOfRequest;
import org.weft.protocol.wire.MkdirRequest;
import org.weft.protocol.wire.NodeRef;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.OpenRequest;
import org.weft.protocol.wire.OpenSessionReply;
import org.weft.protocol.wire.OpenSessionRequest;
import org.weft.protocol.wire.RenewSessionReply;
import org.weft.protocol.wire.RenewSessionRequest;
import org.weft.protocol.wire.RequestContext;
import org.weft.protocol.wire.SetAttributesOfRequest;
import org.weft.protocol.wire.UnwrittenFile;

/**
 * Requests in a session, message by message: with its own secret, or with a secret of a stranger
 * that only states its number. All of them use the first reply slot.
 */
final class RawSession {
  private final Wire wire;
  private final long id;
  private final byte[] secret;
  private long sequence;

  /**
   * @param secret null: nothing is signed
   */
  RawSession(Wire wire, long id, byte[] secret) {
    this.wire = wire;
    this.id = id;
    this.secret = secret;
  }

  static OpenSessionRequest opening(String user, long nonce) {
    return OpenSessionRequest.newBuilder()
        .setVolumeId(AttackedManager.VOLUME)
        .setUser(user)
        .addAllGroups(List.of(user))
        .setClientName("host/1/" + user)
        .setNonce(nonce)
        .setSlots(4)
        .build();
  }

  static OpenSessionReply opened(Wire wire, String user, long nonce) throws WeftException {
    return wire.ask(OpenSessionReply.parser(), Opcode.OPEN_SESSION, opening(user, nonce), null);
  }

  static RawSession open(Wire wire, String user, long nonce) throws WeftException {
    OpenSessionReply reply = opened(wire, user, nonce);
    return new RawSession(wire, reply.getSessionId(), reply.getSecret().toByteArray());
  }

  /** The same session on another connection. */
  RawSession over(Wire other) {
    RawSession moved = new RawSession(other, id, secret);
    moved.sequence = sequence;
    return moved;
  }

  long id() {
    return id;
  }

  byte[] secret() {
    return secret;
  }

  /** The next request is as far ahead as one may be. */
  RawSession farAhead() {
    sequence = Long.MAX_VALUE - 10;
    return this;
  }

  private RequestContext next() {
    return RequestContext.newBuilder()
        .setVolumeId(AttackedManager.VOLUME)
        .setSessionId(id)
        .setSlotSequence(++sequence)
        .build();
  }

  static NodeRef at(String path) {
    return NodeRef.newBuilder().setPath(path).build();
  }

  static NodeRef by(long objectId, ByteString handle) {
    return NodeRef.newBuilder().setBaseObjectId(objectId).setBaseHandle(handle).build();
  }

  AttributesReply mkdir(String path, int mode) throws WeftException {
    MkdirRequest request =
        MkdirRequest.newBuilder().setContext(next()).setNode(at(path)).setMode(mode).build();
    return wire.ask(AttributesReply.parser(), Opcode.MKDIR, request, secret);
  }

  AttributesReply chmod(String path, int mode) throws WeftException {
    SetAttributesOfRequest request =
        SetAttributesOfRequest.newBuilder()
            .setContext(next())
            .setNode(at(path))
            .setMode(mode)
            .build();
    return wire.ask(AttributesReply.parser(), Opcode.SET_ATTRIBUTES_OF, request, secret);
  }

  AttributesReply stat(NodeRef node) throws WeftException {
    GetAttributesOfRequest request =
        GetAttributesOfRequest.newBuilder()
            .setContext(next())
            .setNode(node)
            .setWithHandle(true)
            .build();
    return wire.ask(AttributesReply.parser(), Opcode.GET_ATTRIBUTES_OF, request, secret);
  }

  /** Makes an empty file. */
  CreateReply create(String path, int mode) throws WeftException {
    CreateRequest request =
        CreateRequest.newBuilder().setContext(next()).setNode(at(path)).setMode(mode).build();
    CreateReply reply = wire.ask(CreateReply.parser(), Opcode.CREATE_FILE, request, secret);
    CloseUnwrittenRequest closing =
        CloseUnwrittenRequest.newBuilder()
            .setContext(next())
            .addFiles(
                UnwrittenFile.newBuilder()
                    .setObjectId(reply.getAttributes().getObjectId())
                    .setGrant(reply.getGrant().getNumber()))
            .build();
    var unused = wire.ask(Empty.parser(), Opcode.CLOSE_UNWRITTEN, closing, secret);
    return reply;
  }

  OpenReply read(NodeRef node) throws WeftException {
    OpenRequest request = OpenRequest.newBuilder().setContext(next()).setNode(node).build();
    return wire.ask(OpenReply.parser(), Opcode.OPEN_FILE, request, secret);
  }

  OpenReply openShared(String path) throws WeftException {
    OpenRequest request =
        OpenRequest.newBuilder()
            .setContext(next())
            .setNode(at(path))
            .setWrite(true)
            .setShared(true)
            .build();
    return wire.ask(OpenReply.parser(), Opcode.OPEN_FILE, request, secret);
  }

  /** All of a file that is open shared. */
  AcquireRangeReply acquire(OpenReply opened) throws WeftException {
    AcquireRangeRequest request =
        AcquireRangeRequest.newBuilder()
            .setContext(next())
            .setObjectId(opened.getAttributes().getObjectId())
            .setGrant(opened.getGrant().getNumber())
            .build();
    return wire.ask(AcquireRangeReply.parser(), Opcode.ACQUIRE_RANGE, request, secret);
  }

  RenewSessionReply renew() throws WeftException {
    return renew(RenewSessionRequest.newBuilder());
  }

  RenewSessionReply renew(RenewSessionRequest.Builder what) throws WeftException {
    return ask(
        RenewSessionReply.parser(),
        Opcode.RENEW_SESSION,
        what.setVolumeId(AttackedManager.VOLUME).setSessionId(id).build());
  }

  Empty close() throws WeftException {
    return ask(Empty.parser(), Opcode.CLOSE_SESSION, closing());
  }

  CloseSessionRequest closing() {
    return CloseSessionRequest.newBuilder()
        .setVolumeId(AttackedManager.VOLUME)
        .setSessionId(id)
        .build();
  }

  private <T> T ask(Parser<T> parser, Opcode opcode, MessageLite body) throws WeftException {
    return wire.ask(parser, opcode, body, secret);
  }
}
