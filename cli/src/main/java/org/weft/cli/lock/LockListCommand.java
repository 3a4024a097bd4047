package org.weft.cli.lock;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.weft.cli.files.FilesSession;
import org.weft.cli.files.PathsOperation;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.client.LockHolder;
import org.weft.client.LockList;
import org.weft.client.LockMode;
import org.weft.client.WeftPath;
import org.weft.protocol.layout.ByteRange;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows the byte-range locks on files, and their owners. */
@Command(
    name = "list",
    description = {
      "Shows the byte-range locks on files, and their owners; at most 1,000 locks of each.",
      "Locks are advisory: programs that do not ask for them may read and write all the same."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft lock list /data/journal", "  weft lock list '/data/*' --json"})
@JsonFields(
    shape = "an object for each path",
    value = {
      "path: absolute",
      "total: how many locks there are",
      "locks: from, to (null: to the end), exclusive, client, session, owner (hexadecimal), kept"
          + " (the client's session has ended; a successor may reclaim it)"
    })
final class LockListCommand extends PathsOperation {
  private static final Pattern NFS_OWNER = Pattern.compile("nfs:[-_.A-Za-z0-9:]+");

  @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files.")
  private List<String> arguments;

  @Override
  protected void check() {
    checkPaths(arguments);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    forEach(session.files(), arguments, failures, path -> list(session.files(), path));
  }

  private void list(RemoteFiles files, WeftPath path) throws IOException {
    LockList found = files.locks(path);
    if (json()) {
      console().text().println(Json.line(json(path, found)));
      return;
    }
    StringBuilder text = new StringBuilder();
    text.append(PrintableText.of(path.toString()))
        .append(found.total() == 0 ? ": no locks" : ": " + found.total() + " locks")
        .append('\n');
    for (LockHolder holder : found.holders()) {
      text.append("  ").append(line(holder)).append('\n');
    }
    if (found.total() > found.holders().size()) {
      text.append("  and ").append(found.total() - found.holders().size()).append(" more\n");
    }
    console().text().print(text);
  }

  private static String line(LockHolder holder) {
    return "%-10s %s, by %s, session %d, owner %s%s"
        .formatted(
            holder.mode() == LockMode.EXCLUSIVE ? "exclusive" : "shared",
            holder.range(),
            PrintableText.of(holder.clientName()),
            holder.sessionId(),
            shown(holder),
            holder.kept() ? ", kept for a successor" : "");
  }

  /** As a gateway of NFS names owners: with host and process. */
  private static String shown(LockHolder holder) {
    String text = new String(holder.owner(), StandardCharsets.ISO_8859_1);
    return NFS_OWNER.matcher(text).matches() ? text : owner(holder);
  }

  /** Whatever bytes a client has chosen. */
  private static String owner(LockHolder holder) {
    return HexFormat.of().formatHex(holder.owner());
  }

  private static ObjectNode json(WeftPath path, LockList found) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("path", path.toString());
    node.put("total", found.total());
    ArrayNode locks = node.putArray("locks");
    for (LockHolder holder : found.holders()) {
      ObjectNode lock = locks.addObject();
      lock.put("from", holder.range().from());
      if (holder.range().to() == ByteRange.END) {
        lock.putNull("to");
      } else {
        lock.put("to", holder.range().to());
      }
      lock.put("exclusive", holder.mode() == LockMode.EXCLUSIVE);
      lock.put("client", holder.clientName());
      lock.put("session", holder.sessionId());
      lock.put("owner", owner(holder));
      lock.put("kept", holder.kept());
    }
    return node;
  }
}
