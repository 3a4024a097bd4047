package org.weft.simulator.base;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.TextFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchRequest;
import org.weft.testkit.sim.WireObserver.Event;

/** A frame as text: its kind, and its fields as far as they fit a line. */
final class FrameText {
  private static final int MAX_FIELDS = 600;
  private static final List<String> UNSHOWN = List.of("capability", "mac", "block_crcs");
  private static final String PACKAGE = "org.weft.protocol.wire.";

  private FrameText() {}

  /** It happens where the frame is going. */
  static boolean isSeenByReceiver(Event event) {
    return event == Event.ARRIVED || event == Event.REPLIED;
  }

  static String of(
      Event event, String peer, int opcode, long requestId, ByteString body, int payloadBytes) {
    if (opcode == 0) {
      return "%-10s %s".formatted(event, peer);
    }
    String name = nameOf(opcode);
    return "%-10s %-14s %s #%d %s%s"
        .formatted(
            event,
            peer,
            name,
            requestId,
            fields(event, name, body),
            payloadBytes == 0 ? "" : " +" + payloadBytes + " bytes");
  }

  private static String fields(Event event, String opcode, ByteString body) {
    String text =
        switch (event) {
          case ARRIVED, LOST, EXPIRED, REPLIED, REPLY_LOST -> "";
          case FAILED -> body.toStringUtf8();
          case ANSWERED -> fields(opcode, "Reply", body);
          case PUSHED -> fields(opcode, "Push", body);
          default -> fields(opcode, "Request", body);
        };
    return text.length() <= MAX_FIELDS ? text : text.substring(0, MAX_FIELDS) + "...";
  }

  private static String fields(String opcode, String role, ByteString body) {
    Optional<Parser<?>> parser =
        parser(PACKAGE + camelCase(opcode) + role)
            .or(() -> parser(PACKAGE + camelCase(opcode.replaceAll("_[A-Z]+$", "")) + role))
            .or(() -> parser(PACKAGE + "Attributes" + role));
    if (parser.isEmpty()) {
      return "{" + body.size() + " bytes}";
    }
    try {
      return "{" + text((Message) parser.get().parseFrom(body)) + "}";
    } catch (InvalidProtocolBufferException e) {
      return "{unreadable: " + e.getMessage() + "}";
    }
  }

  private static String text(Message message) {
    if (message instanceof BatchRequest batch) {
      return batch.getItemsList().stream()
          .map(item -> nameOf(item.getOpcode()) + fields(nameOf(item.getOpcode()), "Request", item))
          .collect(Collectors.joining(" "));
    }
    Message.Builder shown = message.toBuilder();
    for (FieldDescriptor field : message.getAllFields().keySet()) {
      if (UNSHOWN.contains(field.getName())) {
        shown.clearField(field);
      }
    }
    return TextFormat.printer().emittingSingleLine(true).printToString(shown);
  }

  private static String fields(String opcode, String role, BatchItem item) {
    return fields(opcode, role, item.getBody());
  }

  private static String nameOf(int opcode) {
    return Opcode.of(opcode).map(Opcode::name).orElse(Integer.toHexString(opcode));
  }

  private static String camelCase(String opcode) {
    StringBuilder name = new StringBuilder();
    for (String word : opcode.split("_", -1)) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(java.util.Locale.ROOT));
    }
    return name.toString();
  }

  private static Optional<Parser<?>> parser(String className) {
    try {
      Message example =
          (Message) Class.forName(className).getMethod("getDefaultInstance").invoke(null);
      return Optional.of(example.getParserForType());
    } catch (ReflectiveOperationException e) {
      return Optional.empty();
    }
  }
}
