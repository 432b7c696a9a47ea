// What simt-nccl launches on every rank. As in NCCL, no rank accesses another one's buffers: elements travel through
// slots of memory that belongs to the communicator. So a buffer may be any memory of its own device.
//
// ncclCollective_<type>(Control* own, Collective what)
// Launch: 1 block of 256 threads.
// ncclSendRecv(Control* own, Messages messages)
// Launch: a block of 256 threads per peer (x), for sends (y = 0) and receives (y = 1).

// The largest number of ranks.
constexpr int MOST = 64;

// Bytes of a slot.
constexpr size_t SLOT = 32768;

// The largest number of messages of a launch.
constexpr int MOST_MESSAGES = 160;

typedef unsigned long long Word;

// Counters of slots: of a rank's own, and what a peer tells of its.
struct Counters {
    unsigned sent, received;
};
struct Told {
    unsigned filled, emptied;
};

// The memory of a rank that its peers access. Behind it are its slots. What only the rank itself reads is not beside what
// peers write: the compiler loads neighbours together.
struct __align__(256) Control {
    int rank, ranks;
    // How far this rank has come. Epochs grow from collective to collective.
    unsigned epoch;
    // The slots that it has filled for each peer, and emptied.
    Counters own[MOST];
    // This memory of each rank.
    Control* of[MOST];
    // How far each peer has come, and the slots that it has filled for this rank, and emptied of this rank's.
    unsigned epoch_of[MOST];
    Told told[MOST];
};

// What slots are for: elements to be combined, results, and messages.
enum Purpose { INBOX, OUTBOX, MESSAGES };

// A rank's slot for another one.
__device__ char* slot_of(Control* owner, int ranks, Purpose purpose, int other) {
    return reinterpret_cast<char*>(owner + 1) + (purpose * ranks + other) * SLOT;
}

// Sets of ranks, beside the numbers of single ranks.
constexpr int ALL = -1, SELF = -2;

// Operators. PREMULTIPLIED_SUM multiplies each element by a factor before it adds.
enum Operator { SUM, PRODUCT, MAX, MIN, PREMULTIPLIED_SUM };

// A collective, as one rank sees it. The elements are in parts, one per rank, and rank r combines those of part r. The
// ranks that send store them into rank r's inbox. Rank r stores what it has combined into the outboxes of the ranks
// that receive, and these copy it into their buffers.
struct Collective {
    const void* send;
    void* receive;
    // Elements of a part, and of all parts together: the last parts may be shorter, or empty.
    size_t part, total;
    // From one part to the next in `send` and in `receive`. 0 where the buffer holds one part.
    size_t send_step, receive_step;
    // ALL, SELF (only the rank whose part it is), or a rank.
    int senders, receivers;
    int op;
    // Integers: what the sum is divided by.
    int divisor;
    // PREMULTIPLIED_SUM: the bits of the factor, or where they are.
    Word factor;
    const void* factor_at;
};

// Of how a type is stored and computed with.
template <typename T> struct Plain {
    typedef T Stored;
    typedef T Computed;
    static __device__ T from(T bits) {
        return bits;
    }
    static __device__ T to(T value) {
        return value;
    }
};

struct Half {
    typedef unsigned short Stored;
    typedef float Computed;
    static __device__ float from(unsigned short bits) {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }
    static __device__ unsigned short to(float value) {
        unsigned short bits;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
        return bits;
    }
};

struct Bfloat {
    typedef unsigned short Stored;
    typedef float Computed;
    static __device__ float from(unsigned short bits) {
        return __uint_as_float(unsigned(bits) << 16);
    }
    // Rounds to the nearest, to even halfway between two.
    static __device__ unsigned short to(float value) {
        unsigned bits = __float_as_uint(value);
        bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
        return is_nan ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    }
};

__device__ bool contains(int set, int part, int rank) {
    return set == ALL || set == rank || (set == SELF && part == rank);
}

__device__ void store_release(unsigned* flag, unsigned value) {
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

__device__ unsigned load_acquire(const unsigned* flag) {
    unsigned value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

// Waits for all ranks. Thread r waits for rank r.
__device__ void meet(Control* own, unsigned epoch) {
    __syncthreads();
    int peer = threadIdx.x;
    if (peer < own->ranks) {
        store_release(&own->of[peer]->epoch_of[own->rank], epoch);
        while (int(load_acquire(&own->epoch_of[peer]) - epoch) < 0) {
        }
    }
    __syncthreads();
}

template <typename E>
__device__ typename E::Stored combine(const typename E::Stored* inbox, size_t slot, int ranks,
                                      const Collective& what, typename E::Computed factor) {
    typedef typename E::Computed Computed;
    Computed result = 0;
#pragma unroll 1
    for (int rank = 0; rank < ranks; ++rank) {
        Computed value = E::from(inbox[rank * slot]);
        if (what.op == PREMULTIPLIED_SUM) {
            value = value * factor;
        }
        if (rank == 0) {
            result = value;
        } else if (what.op == PRODUCT) {
            result = result * value;
        } else if (what.op == MAX) {
            result = value > result ? value : result;
        } else if (what.op == MIN) {
            result = value < result ? value : result;
        } else {
            result = result + value;
        }
    }
    return E::to(what.divisor == 0 ? result : Computed(result / Computed(what.divisor)));
}

template <typename E> __device__ void collective(Control* own, const Collective& what) {
    typedef typename E::Stored Stored;
    const size_t slot = SLOT / sizeof(Stored);
    const int rank = own->rank, ranks = own->ranks;
    unsigned epoch = own->epoch;
    Word bits = what.factor;
    const void* at = what.factor_at == nullptr ? &bits : what.factor_at;
    typename E::Computed factor = E::from(*static_cast<const Stored*>(at));

    for (size_t first = 0; first < what.part; first += slot) {
        // The elements of a part that this round moves.
        auto length = [&](int part) {
            size_t begin = part * what.part + first;
            size_t rest = begin < what.total ? what.total - begin : 0;
            return min(min(rest, what.part - first), slot);
        };
#pragma unroll 1
        for (int part = 0; part < ranks; ++part) {
            if (contains(what.senders, part, rank)) {
                auto from = static_cast<const Stored*>(what.send) + part * what.send_step + first;
                auto to = reinterpret_cast<Stored*>(slot_of(own->of[part], ranks, INBOX, rank));
#pragma unroll 1
                for (size_t i = threadIdx.x; i < length(part); i += blockDim.x) {
                    to[i] = from[i];
                }
            }
        }
        meet(own, ++epoch);

        auto inbox = reinterpret_cast<const Stored*>(slot_of(own, ranks, INBOX, 0));
        int sender = what.senders == SELF ? rank : what.senders;
#pragma unroll 1
        for (size_t i = threadIdx.x; i < length(rank); i += blockDim.x) {
            Stored result = what.senders == ALL
                                ? combine<E>(inbox + i, slot, ranks, what, factor)
                                : inbox[sender * slot + i];
#pragma unroll 1
            for (int peer = 0; peer < ranks; ++peer) {
                if (contains(what.receivers, rank, peer)) {
                    char* outbox = slot_of(own->of[peer], ranks, OUTBOX, rank);
                    reinterpret_cast<Stored*>(outbox)[i] = result;
                }
            }
        }
        meet(own, ++epoch);

#pragma unroll 1
        for (int part = 0; part < ranks; ++part) {
            if (contains(what.receivers, part, rank)) {
                auto from = reinterpret_cast<const Stored*>(slot_of(own, ranks, OUTBOX, part));
                auto to = static_cast<Stored*>(what.receive) + part * what.receive_step + first;
#pragma unroll 1
                for (size_t i = threadIdx.x; i < length(part); i += blockDim.x) {
                    to[i] = from[i];
                }
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        own->epoch = epoch;
    }
}

#define COLLECTIVE(NAME, TYPE)                                                                     \
    extern "C" __global__ void ncclCollective_##NAME(Control* own, Collective what) {              \
        collective<TYPE>(own, what);                                                               \
    }
COLLECTIVE(i8, Plain<signed char>)
COLLECTIVE(u8, Plain<unsigned char>)
COLLECTIVE(i32, Plain<int>)
COLLECTIVE(u32, Plain<unsigned>)
COLLECTIVE(i64, Plain<long long>)
COLLECTIVE(u64, Plain<Word>)
COLLECTIVE(f16, Half)
COLLECTIVE(f32, Plain<float>)
COLLECTIVE(f64, Plain<double>)
COLLECTIVE(bf16, Bfloat)

// Sends and receives of a group.
struct Messages {
    struct {
        char* at;
        size_t bytes;
    } of[MOST_MESSAGES];
    // Where the messages to and from each peer begin in `of`; those of a peer are in the order of the program.
    unsigned char first[2][MOST], end[2][MOST];
};

__device__ void copy(char* to, const char* from, size_t bytes) {
    size_t words = (size_t(to) | size_t(from)) % sizeof(Word) == 0 ? bytes / sizeof(Word) : 0;
#pragma unroll 1
    for (size_t i = threadIdx.x; i < words; i += blockDim.x) {
        reinterpret_cast<Word*>(to)[i] = reinterpret_cast<const Word*>(from)[i];
    }
#pragma unroll 1
    for (size_t i = words * sizeof(Word) + threadIdx.x; i < bytes; i += blockDim.x) {
        to[i] = from[i];
    }
}

// Waits until a peer has counted to `count`.
__device__ void wait(const unsigned* counter, unsigned count) {
    if (threadIdx.x == 0) {
        while (int(load_acquire(counter) - count) < 0) {
        }
    }
    __syncthreads();
}

// Tells a peer that this rank has counted to `count`.
__device__ void tell(unsigned* counter, unsigned count) {
    __syncthreads();
    if (threadIdx.x == 0) {
        store_release(counter, count);
    }
}

// A message of no bytes fills a slot too. A send has ended when the peer has received.
extern "C" __global__ void ncclSendRecv(Control* own, const __grid_constant__ Messages messages) {
    int peer = blockIdx.x, is_receive = blockIdx.y;
    int first = messages.first[is_receive][peer], end = messages.end[is_receive][peer];
    if (first == end) {
        return;
    }
    Control* other = own->of[peer];
    Told &here = own->told[peer], &there = other->told[own->rank];
    Counters& counters = own->own[peer];
    unsigned count = is_receive ? counters.received : counters.sent;
    for (int m = first; m < end; ++m) {
        char* at = messages.of[m].at;
        size_t begin = 0, bytes = messages.of[m].bytes;
        do {
            size_t length = min(SLOT, bytes - begin);
            ++count;
            if (is_receive) {
                wait(&here.filled, count);
                copy(at + begin, slot_of(own, own->ranks, MESSAGES, peer), length);
                tell(&there.emptied, count);
            } else {
                copy(slot_of(other, own->ranks, MESSAGES, own->rank), at + begin, length);
                tell(&there.filled, count);
                wait(&here.emptied, count);
            }
            begin += length;
        } while (begin < bytes);
    }
    if (threadIdx.x == 0) {
        (is_receive ? counters.received : counters.sent) = count;
    }
}
