// What happened and what to do, by the code of the error, in Korean. The engine's own English stands below it with its numbers.
export const failuresInGeneral = {
  "no-webgpu": {
    happened: "이 브라우저에는 WebGPU가 없어서 페이지가 GPU를 쓸 수 없습니다.",
    to_do: "최신 Chrome, Edge, Firefox나 Safari 26 이상에서 이 페이지를 열고 다시 확인하세요.",
  },
  "insecure-origin": {
    happened: "브라우저는 https나 localhost로 연 페이지에서만 WebGPU를 쓰게 합니다.",
    to_do: "같은 페이지를 http://localhost나 http://127.0.0.1로 열거나 https로 제공하세요.",
  },
  "no-adapter": {
    happened: "이 브라우저는 WebGPU를 지원하지만, 쓸 수 있는 GPU를 찾지 못했습니다.",
    to_do:
      "브라우저 설정에서 하드웨어 가속을 켜고 그래픽 드라이버를 업데이트하세요. Chrome과 Edge는 --enable-unsafe-webgpu 옵션으로 시작하면 " +
      "소프트웨어 GPU를 쓸 수 있습니다. 느리지만 결과는 진짜입니다.",
  },
  "device-refused": {
    happened: "GPU를 찾았지만 사용을 허락받지 못했습니다.",
    to_do:
      "GPU를 쓰는 다른 프로그램과 페이지를 닫고 다시 시도하세요. 그래도 안 되면 그래픽 드라이버를 업데이트하세요.",
  },
  "device-lost": {
    happened: "GPU와 연결이 끊겨 GPU에 있던 내용이 모두 사라졌습니다.",
    to_do:
      "GPU를 다시 시작하고 모델을 다시 불러오세요. 또 끊기면 토큰 수를 줄이거나 GPU를 쓰는 다른 프로그램을 닫으세요.",
  },
  "device-gone": {
    happened: "GPU와 연결이 두 번 끊겨 더 시도하지 않았습니다.",
    to_do: "브라우저를 다시 시작한 뒤 모델을 불러오세요. 토큰 수를 줄이면 GPU 부담이 줄어듭니다.",
  },
  "engine-crashed": {
    happened: "엔진이 예상하지 못한 오류로 멈췄습니다.",
    to_do: "모델을 다시 불러오세요. 또 멈추면 아래의 영어 메시지와 함께 알려 주세요.",
  },
  "out-of-memory": {
    happened: "필요한 메모리를 얻지 못했습니다.",
    to_do:
      "메모리를 쓰는 다른 프로그램과 페이지를 닫거나, 캐시가 f32의 절반인 int8 또는 float 형식이나 더 작은 모델을 고르세요.",
  },
  "shader-failed": {
    happened: "그래픽 드라이버나 브라우저가 커널 하나를 컴파일하지 못했습니다.",
    to_do:
      "그래픽 드라이버나 브라우저를 업데이트하세요. 다른 형식이나 다른 덧셈 순서는 다른 커널을 쓰므로 실행될 수도 있습니다.",
  },
  "self-test-failed": {
    happened: "커널 하나의 결과가 CPU 트윈과 달라서 실행하지 않았습니다.",
    to_do: "그래픽 드라이버나 브라우저를 업데이트하거나 다른 GPU를 쓰세요.",
  },
  "hash-mismatch": {
    happened: "받은 내용의 SHA-256 해시가 모델의 해시와 다릅니다.",
    to_do: "다시 받으세요. 도중에 손상되었거나 다른 버전의 파일입니다.",
  },
  "bad-file": {
    happened: "파일에 잘못된 곳이 있거나, 이 엔진이 지원하지 않는 내용이 있습니다.",
    to_do: "파일을 다시 받거나 다른 파일을 고르세요. 자세한 방법은 아래 영어 설명에 있습니다.",
  },
  "unknown-pre-tokenizer": {
    happened: "파일에 적힌 사전 토크나이저의 규칙을 이 엔진이 모릅니다.",
    to_do:
      "다른 파일을 고르거나, 기본 규칙으로 그래도 불러오세요. 그러면 학습할 때와 다른 토큰으로 읽힐 수 있습니다.",
  },
  "download-cut": {
    happened: "다운로드가 도중에 끊겼습니다.",
    to_do: "이어서 받으세요. 끊긴 바이트부터 이어집니다.",
  },
  "download-cancelled": {
    happened: "직접 멈췄습니다.",
    to_do: "언제든 다시 시작할 수 있습니다. 이미 받은 부분은 다시 받지 않습니다.",
  },
  "download-http": {
    happened: "서버가 파일 대신 다른 응답을 보냈습니다.",
    to_do:
      "주소가 맞는지, 로그인하지 않아도 받을 수 있는 파일인지 확인하세요. 다른 프로그램으로 받은 파일을 여기서 고를 수도 있습니다.",
  },
  "download-network": {
    happened: "서버에서 응답이 오지 않았습니다.",
    to_do:
      "서버와 네트워크 연결을 확인하고 다시 시도하세요. 다른 사이트에서 읽지 못하게 막은 서버라면 파일을 따로 받아 여기서 고르세요.",
  },
  "file-changed": {
    happened: "고른 뒤에 파일이 옮겨지거나 지워지거나 바뀌었습니다.",
    to_do: "파일을 다시 고르거나 주소를 다시 확인하세요.",
  },
  "bad-address": {
    happened: "이 주소로는 모델을 받을 수 없습니다. https 주소나 이 사이트 안의 경로만 됩니다.",
    to_do: "https로 파일을 주는 주소를 입력하세요.",
  },
  "bad-request": {
    happened: "고른 설정이나 입력이 서로 맞지 않거나, 이 모델에서는 쓸 수 없습니다.",
    to_do: "설정이나 입력을 바꿔 다시 실행하세요. 무엇을 바꿀지는 아래 영어 설명에 있습니다.",
  },
  "run-failed": {
    happened: "계산이 도중에 실패했습니다.",
    to_do: "다시 실행하세요. 또 실패하면 아래의 영어 메시지와 장치 이름을 함께 알려 주세요.",
  },
  "context-full": {
    happened: "프롬프트와 답을 합한 길이가 다룰 수 있는 길이를 넘습니다.",
    to_do: "프롬프트를 줄이거나 토큰 수를 줄이세요.",
  },
  "worker-failed": {
    happened: "엔진이 응답하지 않고 멈췄습니다.",
    to_do: "페이지를 새로 고치세요.",
  },
  "refused-call": {
    happened: "엔진이 지금은 할 수 없는 요청을 받았습니다.",
    to_do: "페이지를 새로 고치세요.",
  },
  internal: {
    happened: "이 페이지의 결함으로 오류가 생겼습니다.",
    to_do: "페이지를 새로 고치세요. 또 생기면 아래의 영어 메시지와 함께 알려 주세요.",
  },
  unknown: {
    happened: "이 페이지가 모르는 오류가 생겼습니다.",
    to_do: "페이지를 새로 고치세요. 또 생기면 아래의 영어 메시지와 함께 알려 주세요.",
  },
};
