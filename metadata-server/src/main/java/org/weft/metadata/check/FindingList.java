package org.weft.metadata.check;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.weft.protocol.wire.CheckFinding;

/**
 * Findings of a check, and the objects that it could not look at. Both are counted, and as many are
 * remembered as are useful to a person. Single-threaded.
 */
final class FindingList {
  static final int MAX_FINDINGS = 10_000;
  static final int MAX_UNCHECKED = 100;

  private final List<CheckFinding> findings = new ArrayList<>();
  private final Set<Suspicion> told = new HashSet<>();
  private final List<String> unchecked = new ArrayList<>();
  private long found;
  private long left;

  /**
   * Adds it, unless the same is remembered: an object can be met in a list of an OSD and by its
   * names.
   *
   * @param path from the volume's root; empty if nothing leads there
   */
  void add(Suspicion confirmed, String path) {
    if (told.contains(confirmed)) {
      return;
    }
    found++;
    if (findings.size() < MAX_FINDINGS) {
      told.add(confirmed);
      findings.add(
          CheckFinding.newBuilder()
              .setNumber(found)
              .setKind(confirmed.kind().word())
              .setObjectId(confirmed.object().value())
              .setPath(path)
              .setOsd(confirmed.osd().map(osd -> osd.value()).orElse(0))
              .setWhat(confirmed.what())
              .setNextStep(confirmed.kind().nextStep())
              .build());
    }
  }

  /** There are nodes of which OSDs lack attributes: what they add up to is not known. */
  boolean hasLostNodes() {
    return told.stream().anyMatch(each -> each.kind().isOfLostNode());
  }

  /** Something could not be looked at; a sentence that was said before counts alone. */
  void unchecked(String why) {
    left++;
    if (unchecked.size() < MAX_UNCHECKED && !unchecked.contains(why)) {
      unchecked.add(why);
    }
  }

  long found() {
    return found;
  }

  long left() {
    return left;
  }

  List<String> unchecked() {
    return List.copyOf(unchecked);
  }

  /** Those behind a number, at most so many. */
  List<CheckFinding> after(long number, int max) {
    int from = (int) Math.max(0, Math.min(number, findings.size()));
    return List.copyOf(findings.subList(from, Math.min(findings.size(), from + max)));
  }

  boolean hasMore(long number) {
    return number < findings.size();
  }
}
