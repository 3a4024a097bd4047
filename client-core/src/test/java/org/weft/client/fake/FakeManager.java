package org.weft.client.fake;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.CloseRequest;
import org.weft.protocol.wire.CloseSessionRequest;
import org.weft.protocol.wire.CloseUnwrittenRequest;
import org.weft.protocol.wire.CreateRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.FindFirstAnswerRequest;
import org.weft.protocol.wire.GetAttributesOfRequest;
import org.weft.protocol.wire.MkdirRequest;
import org.weft.protocol.wire.OpenRequest;
import org.weft.protocol.wire.OpenSessionReply;
import org.weft.protocol.wire.OpenSessionRequest;
import org.weft.protocol.wire.PublishRequest;
import org.weft.protocol.wire.ReaddirRequest;
import org.weft.protocol.wire.RegrantRequest;
import org.weft.protocol.wire.RemoveNameRequest;
import org.weft.protocol.wire.RenameRequest;
import org.weft.protocol.wire.RenewSessionReply;
import org.weft.protocol.wire.RenewSessionRequest;
import org.weft.protocol.wire.ReportRequest;
import org.weft.protocol.wire.RequestContext;
import org.weft.protocol.wire.RmdirRequest;
import org.weft.protocol.wire.SetAttributesOfRequest;
import org.weft.protocol.wire.SetLengthRequest;
import org.weft.protocol.wire.SetNodeRequest;
import org.weft.protocol.wire.StatfsRequest;
import org.weft.protocol.wire.TrimmedRequest;
import org.weft.protocol.wire.UnlinkRequest;
import org.weft.protocol.wire.UnwrittenFile;

/**
 * A manager with real sessions, secrets and reply slots (P 6.4, 6.5) around a scripted body of
 * files. A restart forgets what a real one forgets: the traces of reads and refusals in the slots.
 */
public final class FakeManager extends ScriptedDaemon {
  /** What answers requests on files; the context has been checked. */
  @FunctionalInterface
  public interface Files {
    MessageLite execute(Opcode opcode, MessageLite request) throws WeftException;
  }

  /** One reply slot: what was answered last. */
  private static final class Slot {
    private long sequence;
    private boolean journalled;
    private MessageLite reply;
    private WeftException refusal;
    private long journalledSequence;
    private MessageLite journalledReply;
  }

  private static final ByteString SECRET = ByteString.copyFromUtf8("sixteen secrets!");

  private final Files files;
  private final int leaseMillis;
  private final int slotsGiven;
  private final Map<Long, Map<Integer, Slot>> sessions = new TreeMap<>();
  private final Map<Long, Long> sessionByNonce = new TreeMap<>();
  private final Map<String, MessageLite> firstAnswers = new TreeMap<>();
  private final List<String> executions = new ArrayList<>();
  private final List<String> stale = new ArrayList<>();
  private long nextSession = 1;
  private long tableVersion = 1;
  private boolean sessionsAreFaulty = true;

  public FakeManager(ClusterId clusterId, int leaseMillis, int slotsGiven, Files files) {
    super(clusterId);
    this.leaseMillis = leaseMillis;
    this.slotsGiven = slotsGiven;
    this.files = files;
  }

  /** Faults hit only requests on files. */
  public FakeManager sparingSessions() {
    sessionsAreFaulty = false;
    return this;
  }

  @Override
  protected boolean faulty(Opcode opcode) {
    return sessionsAreFaulty
        || opcode != Opcode.OPEN_SESSION
            && opcode != Opcode.RENEW_SESSION
            && opcode != Opcode.CLOSE_SESSION;
  }

  /** The process dies and comes back: connections end, what was not journalled is forgotten. */
  public void restart() {
    stop();
    for (Map<Integer, Slot> slots : sessions.values()) {
      for (Slot slot : slots.values()) {
        slot.sequence = slot.journalledSequence;
        slot.reply = slot.journalledReply;
        slot.refusal = null;
        slot.journalled = slot.journalledReply != null;
      }
    }
    start();
  }

  /** Every session lapses. */
  public void expireSessions() {
    sessions.clear();
    sessionByNonce.clear();
  }

  /** As after 512 later ones of the same client. */
  public void forgetFirstAnswers() {
    firstAnswers.clear();
  }

  public synchronized int sessionCount() {
    return sessions.size();
  }

  /** Changes that were executed, as "OPCODE path", in order. */
  public List<String> executions() {
    return executions;
  }

  /** Numbers that came too late; there must be none from a client that keeps the rules. */
  public List<String> stale() {
    return stale;
  }

  public void tableVersion(long version) {
    tableVersion = version;
  }

  /** As a real one it carries out nothing of a session that is not signed with its secret. */
  @Override
  public synchronized void handle(InboundRequest request) {
    boolean opens = request.opcodeNumber() == Opcode.OPEN_SESSION.number();
    if (opens || request.signedWith(SECRET.toByteArray())) {
      super.handle(request);
    } else {
      request.fail(ErrorCode.UNAUTHENTICATED, "this connection does not hold the session");
    }
  }

  @Override
  protected MessageLite execute(Opcode opcode, byte[] body) throws Exception {
    return switch (opcode) {
      case OPEN_SESSION -> open(OpenSessionRequest.parseFrom(body));
      case RENEW_SESSION -> renew(RenewSessionRequest.parseFrom(body));
      case CLOSE_SESSION -> {
        sessions.remove(CloseSessionRequest.parseFrom(body).getSessionId());
        yield Empty.getDefaultInstance();
      }
      default -> inSlot(opcode, body);
    };
  }

  private MessageLite open(OpenSessionRequest request) {
    long session = sessionByNonce.computeIfAbsent(request.getNonce(), nonce -> nextSession++);
    sessions.computeIfAbsent(session, id -> new TreeMap<>());
    return OpenSessionReply.newBuilder()
        .setSessionId(session)
        .setLeaseMillis(leaseMillis)
        .setSlots(Math.min(slotsGiven, request.getSlots()))
        .setSecret(SECRET)
        .setKeepsFirstAnswers(true)
        .build();
  }

  private MessageLite renew(RenewSessionRequest request) throws WeftException {
    require(request.getSessionId());
    return RenewSessionReply.newBuilder()
        .setLeaseMillis(leaseMillis)
        .setTableVersion(tableVersion)
        .build();
  }

  private Map<Integer, Slot> require(long session) throws WeftException {
    Map<Integer, Slot> slots = sessions.get(session);
    if (slots == null) {
      throw new WeftException(ErrorCode.SESSION_EXPIRED, "session " + session + " has ended");
    }
    return slots;
  }

  private MessageLite inSlot(Opcode opcode, byte[] body) throws Exception {
    Parsed parsed = parse(opcode, body);
    RequestContext context = parsed.context;
    Map<Integer, Slot> slots = require(context.getSessionId());
    if (context.getSlot() >= slotsGiven) {
      throw new AssertionError("slot " + context.getSlot() + " of " + slotsGiven);
    }
    Slot slot = slots.computeIfAbsent(context.getSlot(), index -> new Slot());
    if (context.getSlotSequence() < slot.sequence) {
      stale.add(opcode + " " + context.getSlotSequence() + " < " + slot.sequence);
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, "a stale duplicate");
    }
    if (context.getSlotSequence() == slot.sequence && slot.journalled) {
      if (slot.refusal != null) {
        throw slot.refusal;
      }
      return slot.reply;
    }
    MessageLite first = firstAnswers.get(origin(context));
    if (first != null) {
      slot.sequence = context.getSlotSequence();
      slot.journalled = true;
      slot.reply = first;
      slot.refusal = null;
      return first;
    }
    return executeNew(opcode, parsed, slot, context.getSlotSequence());
  }

  /** Empty of a request without one, which is no key of a first answer. */
  private static String origin(RequestContext context) {
    return context.hasOrigin() ? context.getOrigin().toString() : "";
  }

  private MessageLite executeNew(Opcode opcode, Parsed parsed, Slot slot, long sequence)
      throws WeftException {
    slot.sequence = sequence;
    slot.journalled = parsed.change;
    slot.reply = null;
    slot.refusal = null;
    try {
      slot.reply = files.execute(opcode, parsed.request);
    } catch (WeftException e) {
      slot.refusal = e;
      // It was not taken up: a retry is executed.
      slot.journalled &= e.code() != ErrorCode.UNAVAILABLE && e.code() != ErrorCode.NOT_SERVING;
      throw e;
    }
    if (parsed.change) {
      slot.journalledSequence = sequence;
      slot.journalledReply = slot.reply;
      executions.add(opcode + " " + parsed.what);
      if (parsed.context.hasOrigin()) {
        firstAnswers.put(origin(parsed.context), slot.reply);
      }
    }
    return slot.reply;
  }

  private record Parsed(RequestContext context, MessageLite request, String what, boolean change) {}

  private static Parsed parse(Opcode opcode, byte[] body) throws Exception {
    switch (opcode) {
      case MKDIR:
        MkdirRequest mkdir = MkdirRequest.parseFrom(body);
        return new Parsed(mkdir.getContext(), mkdir, mkdir.getNode().getPath(), true);
      case UNLINK:
        UnlinkRequest unlink = UnlinkRequest.parseFrom(body);
        return new Parsed(unlink.getContext(), unlink, unlink.getNode().getPath(), true);
      case RMDIR:
        RmdirRequest rmdir = RmdirRequest.parseFrom(body);
        return new Parsed(rmdir.getContext(), rmdir, rmdir.getNode().getPath(), true);
      case RENAME:
        RenameRequest rename = RenameRequest.parseFrom(body);
        return new Parsed(rename.getContext(), rename, rename.getSource().getPath(), true);
      case CREATE_FILE:
        CreateRequest create = CreateRequest.parseFrom(body);
        return new Parsed(create.getContext(), create, create.getNode().getPath(), true);
      case OPEN_FILE:
        OpenRequest open = OpenRequest.parseFrom(body);
        return new Parsed(open.getContext(), open, open.getNode().getPath(), open.getWrite());
      case CLOSE_FILE:
        CloseRequest close = CloseRequest.parseFrom(body);
        String how = close.getObjectId() + (close.getAbandoned() ? " abandoned" : "");
        return new Parsed(close.getContext(), close, how, true);
      case CLOSE_UNWRITTEN:
        CloseUnwrittenRequest closes = CloseUnwrittenRequest.parseFrom(body);
        List<Long> files = closes.getFilesList().stream().map(UnwrittenFile::getObjectId).toList();
        return new Parsed(closes.getContext(), closes, "" + files, true);
      case PUBLISH:
        PublishRequest publish = PublishRequest.parseFrom(body);
        return new Parsed(
            publish.getContext(), publish, publish.getObjectId() + " " + publish.getSize(), true);
      case SET_LENGTH:
        SetLengthRequest length = SetLengthRequest.parseFrom(body);
        return new Parsed(
            length.getContext(), length, length.getObjectId() + " " + length.getSize(), true);
      case TRIMMED:
        TrimmedRequest trimmed = TrimmedRequest.parseFrom(body);
        return new Parsed(trimmed.getContext(), trimmed, "" + trimmed.getObjectId(), true);
      case REGRANT:
        RegrantRequest regrant = RegrantRequest.parseFrom(body);
        return new Parsed(regrant.getContext(), regrant, "" + regrant.getObjectId(), true);
      case SET_ATTRIBUTES_OF:
        SetAttributesOfRequest set = SetAttributesOfRequest.parseFrom(body);
        return new Parsed(set.getContext(), set, set.getNode().getPath(), true);
      case REMOVE_NAME:
        RemoveNameRequest remove = RemoveNameRequest.parseFrom(body);
        return new Parsed(remove.getContext(), remove, remove.getName(), true);
      case SET_NODE:
        SetNodeRequest setNode = SetNodeRequest.parseFrom(body);
        return new Parsed(setNode.getContext(), setNode, "" + setNode.getNodeId(), true);
      case FIND_FIRST_ANSWER:
        FindFirstAnswerRequest find = FindFirstAnswerRequest.parseFrom(body);
        return new Parsed(find.getContext(), find, "", false);
      case GET_ATTRIBUTES_OF:
        GetAttributesOfRequest get = GetAttributesOfRequest.parseFrom(body);
        return new Parsed(get.getContext(), get, get.getNode().getPath(), false);
      case READDIR:
        ReaddirRequest readdir = ReaddirRequest.parseFrom(body);
        return new Parsed(readdir.getContext(), readdir, readdir.getNode().getPath(), false);
      case STATFS:
        StatfsRequest statfs = StatfsRequest.parseFrom(body);
        return new Parsed(statfs.getContext(), statfs, "", false);
      case REPORT:
        ReportRequest report = ReportRequest.parseFrom(body);
        return new Parsed(report.getContext(), report, "" + report.getObjectId(), false);
      default:
        throw new AssertionError("no request on files: " + opcode);
    }
  }
}
