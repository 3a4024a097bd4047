package org.weft.testkit.sim;

/** What becomes of frames: the plan of a hostile network. */
public interface WireFaults {
  /** A network that only takes its time. */
  WireFaults NONE = new WireFaults() {};

  /** What a frame is. */
  enum FrameKind {
    REQUEST,
    REPLY,
    PUSH
  }

  /** What happens to the connection around a frame. */
  enum Harm {
    NONE,
    /** The frame is lost, and the connection breaks at both ends. */
    LOST,
    /** The connection breaks at both ends once the frame has arrived. */
    BREAKS_AFTER,
    /** The sender's end breaks at once; the frame still arrives. */
    ORPHANED,
    /** As that, of a request, and the receiver hears of the end well after it. */
    OUTLIVING
  }

  /**
   * The fate of one frame.
   *
   * @param delayNanos besides the usual
   */
  record Fate(Harm harm, long delayNanos) {
    /** Arrives. */
    public static final Fate USUAL = new Fate(Harm.NONE, 0);
  }

  /** Asked once for each frame that is sent. */
  default Fate fate(FrameKind kind, String from, String to) {
    return Fate.USUAL;
  }

  /** Frames of that direction wait. */
  default boolean isCut(String from, String to) {
    return false;
  }

  /** How much longer than usual that direction takes. */
  default long extraNanos(String from, String to) {
    return 0;
  }
}
