package org.weft.protocol.layout;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What is lost together, the smallest first: of no two of these components share one (P 4.1). */
public enum FaultDomain {
  OSD,
  HOST,
  RACK;

  /** As people write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Those down from this one, the largest first. */
  public List<FaultDomain> downwards() {
    return switch (this) {
      case RACK -> List.of(RACK, HOST, OSD);
      case HOST -> List.of(HOST, OSD);
      case OSD -> List.of(OSD);
    };
  }

  /** What a BladeSet is told to keep to. */
  public enum Wish {
    /** The rack where there are as many as a group has components, else the host. */
    AUTO(FaultDomain.RACK, FaultDomain.HOST),
    OSD(FaultDomain.OSD, FaultDomain.OSD),
    HOST(FaultDomain.HOST, FaultDomain.HOST),
    /** Files become as narrow as the number of racks asks for. */
    RACK(FaultDomain.RACK, FaultDomain.RACK);

    private final FaultDomain largest;
    private final FaultDomain narrowing;

    Wish(FaultDomain largest, FaultDomain narrowing) {
      this.largest = largest;
      this.narrowing = narrowing;
    }

    /** Kept to where there are enough. */
    public FaultDomain largest() {
      return largest;
    }

    /** The largest one whose number counts as that of the members when a width is chosen. */
    public FaultDomain narrowing() {
      return narrowing;
    }

    /** As people write it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** As the wire and stored states number it. */
    public int number() {
      return ordinal();
    }

    /** One of a newer release is AUTO. */
    public static Wish ofNumber(int number) {
      return number >= 0 && number < values().length ? values()[number] : AUTO;
    }

    /** Empty: it is none of {@link #words}. */
    public static Optional<Wish> ofWord(String word) {
      return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst();
    }

    /** What people may write. */
    public static List<String> words() {
      return Arrays.stream(values()).map(Wish::word).toList();
    }
  }
}
